export { type Destination, type Directory, directoryOf, resolveLink } from './links.ts'
export { makePage, type Page, readingOrder } from './pages.ts'
export { type ServedSite, type ServeOptions, serveFolder } from './serve.ts'
export { type Site, type SiteOptions, type WeaveProblem, weaveSite, writeSite } from './site.ts'
