import type { Page } from '../pages/pages.ts'
import { type Citations, hasCitation, loadCitations } from './citations.ts'
import { type Diagrams, loadDiagrams } from './diagrams.ts'
import { type Formulas, hasFormula, loadFormulas } from './math.ts'

/** What is set by a library. */
export interface Typesetting {
  formulas?: Formulas
  citations?: Citations
  diagrams?: Diagrams
  /** Pictures that were drawn, by their path on the site. */
  pictures?: Map<string, string>
}

/** Loads what these pages need. */
export async function typesettingFor(pages: readonly Page[]): Promise<Typesetting> {
  const typesetting: Typesetting = {}
  if (pages.some(hasFormula)) typesetting.formulas = await loadFormulas()
  if (pages.some(hasCitation)) typesetting.citations = await loadCitations()
  if (pages.some(({ text }) => /#\+begin_src\s+mermaid/i.test(text))) {
    typesetting.diagrams = await loadDiagrams()
    typesetting.pictures = new Map()
  }
  return typesetting
}
