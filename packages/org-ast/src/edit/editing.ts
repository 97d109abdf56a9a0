export type { ReadFile } from '../parse/settings.ts'
export { indentTo, stringWidth } from '../text/columns.ts'
export {
  type ArchiveLocation,
  archiveLocation,
  archiveSubtree,
  archiveToSibling,
  toggleArchiveTag,
} from './archive.ts'
export {
  type BodyRequest,
  type EditableBlock,
  type ResultCell,
  type ResultRequest,
  type ResultRows,
  setBlockBody,
  setBlockResult,
  setHeaderArgument,
} from './block.ts'
export { type CheckboxRequest, toggleCheckbox } from './checkbox.ts'
export { type CookieRequest, updateAllCookies, updateCookies } from './cookies.ts'
export { datetree, type Narrowed } from './datetree.ts'
export { applyPatches, composePatches, type Patch } from './edit.ts'
export { addHeadline, type NewHeadline } from './headline.ts'
export { type InertOrg, inertCode, inertLine, inertOrg, newlyObeyed, obeyed } from './inert.ts'
export { smallestPatch } from './lines.ts'
export { addNote, type NoteRequest } from './note.ts'
export {
  cutSubtree,
  demoteHeadline,
  demoteSubtree,
  type HeadlineRequest,
  insertHeadline,
  moveSubtree,
  type Place,
  pasteSubtree,
  promoteHeadline,
  promoteSubtree,
} from './outline.ts'
export { type PlanningRequest, setPlanning, setWarning } from './planning.ts'
export { type PriorityRequest, setPriority } from './priority.ts'
export { deleteProperty, ensureId, setProperty } from './property.ts'
export { type MovePatches, refile, refileTo } from './refile.ts'
export { type SortRequest, sortChildren } from './sort.ts'
export {
  alignTable,
  deleteTableColumn,
  deleteTableRow,
  insertTableColumn,
  insertTableRow,
  insertTableRule,
  moveTableRow,
  setTableCell,
  type TablePlace,
} from './table.ts'
export { setTags, toggleTag } from './tags.ts'
export { cycleTodo, setTodo, type TodoRequest, type TodoStep } from './todo.ts'
