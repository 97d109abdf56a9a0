export const citation: number = 1
export const exportSnippet: number = 1 << 1
export const footnoteReference: number = 1 << 2
export const inlineBabelCall: number = 1 << 3
export const inlineSrcBlock: number = 1 << 4
export const lineBreak: number = 1 << 5
export const link: number = 1 << 6
export const macro: number = 1 << 7
export const radioTarget: number = 1 << 8
export const statisticsCookie: number = 1 << 9
export const target: number = 1 << 10
export const timestamp: number = 1 << 11

const standard = (1 << 12) - 1

/** A node that holds objects. */
export type ObjectContainer =
  | 'paragraph'
  | 'verse-block'
  | 'headline'
  | 'item'
  | 'table-cell'
  | 'keyword'
  | 'link'
  | 'radio-target'
  | 'emphasis'
  | 'script'
  | 'footnote-reference'
  | 'citation'

/** The kinds that may stand in each. */
export const restrictions: Record<ObjectContainer, number> = {
  paragraph: standard,
  'verse-block': standard,
  emphasis: standard,
  script: standard,
  'footnote-reference': standard,
  headline: standard & ~lineBreak,
  item: standard & ~lineBreak,
  keyword: standard & ~footnoteReference,
  'table-cell': standard & ~(lineBreak | statisticsCookie | inlineBabelCall | inlineSrcBlock),
  'radio-target': 0,
  citation: standard & ~(citation | footnoteReference | lineBreak | link),
  link: exportSnippet | inlineBabelCall | inlineSrcBlock | macro | statisticsCookie,
}
