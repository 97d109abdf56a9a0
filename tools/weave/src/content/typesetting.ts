import type { Page } from '../pages/pages.ts'
import { hasCitation, loadCitations } from './citations.ts'
import { loadDiagrams } from './diagrams.ts'
import { hasFormula, loadFormulas } from './math.ts'
import type { Typesetting } from './writer.ts'

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
