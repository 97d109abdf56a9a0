/** Why a proposal is refused, or what the owner should look at in it. */
export interface Finding {
  rule:
    | 'capabilities-widened'
    | 'dependencies-widened'
    | 'priority-changed'
    | 'tests-dropped'
    | 'tests-not-run'
    | 'tests-weakened'
    | 'tests-added'
    | 'test-helper-changed'
    | 'expectation-changed'
    | 'old-test-fails'
    | 'mended-by-its-test'
    | 'code-unchanged'
    | 'no-tests'
    | 'prose-dropped'
    | 'words-for-models'
    | 'trigger-changed'
    | 'id-changed'
    | 'headers-changed'
    | 'hidden-characters'
    | 'folded-code'
    | 'code-from-text'
    | 'language-changed'
    | 'active-content'
    | 'outside-folder'
    | 'large-diff'
    | 'gate-weakened'
    | 'gate-changed'
    | 'gate-code'
    | 'part-code'
    | 'code-changed'
    | 'tool-changed'
    | 'brings-more'
    | 'reaches-further'
  kind: 'refusal' | 'note'
  message: string
}

/** A finding that ends the matter. */
export const refusal = (rule: Finding['rule'], message: string): Finding => ({
  rule,
  kind: 'refusal',
  message,
})

/** A finding for the owner to look at. */
export const note = (rule: Finding['rule'], message: string): Finding => ({
  rule,
  kind: 'note',
  message,
})
