export { type ServedSite, type ServeOptions, serveFolder } from './command/serve.ts'
export { type Destination, type Directory, directoryOf, resolveLink } from './content/links.ts'
export { makePage, type Page, readingOrder } from './pages/pages.ts'
export {
  type Site,
  type SiteOptions,
  type WeaveProblem,
  weaveSite,
  writeSite,
} from './site/site.ts'
