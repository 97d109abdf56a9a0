/** A page for the search: its address, its title, its subtitle and description, its sections. */
export type SearchShard = readonly [
  url: string,
  title: string,
  about: string,
  sections: readonly ShardSection[],
]

/**
 * `slug` is empty for what stands before all headings; `names` are those that its code exports, each
 * with its place on the page behind a hash where that is known.
 */
export type ShardSection = readonly [
  slug: string,
  heading: string,
  text: string,
  names: readonly string[],
]
