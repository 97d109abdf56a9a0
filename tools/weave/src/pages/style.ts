import { join } from 'node:path'

/** The files of the style, in the order of the cascade. */
export const styleSheets: readonly string[] = [
  'style.css',
  'style-text.css',
  'style-code.css',
  'style-parts.css',
  'style-media.css',
].map((name) => join(import.meta.dirname, name))
