export { indentTo, stringWidth } from './columns.ts'
export { datetree, type Narrowed } from './datetree.ts'
export { applyPatches, composePatches, type Patch } from './edit.ts'
export {
  type ArchiveLocation,
  archiveLocation,
  archiveSubtree,
  archiveToSibling,
  toggleArchiveTag,
} from './edit-archive.ts'
export {
  type BodyRequest,
  type EditableBlock,
  type ResultCell,
  type ResultRequest,
  type ResultRows,
  setBlockBody,
  setBlockResult,
  setHeaderArgument,
} from './edit-block.ts'
export {
  type CheckboxRequest,
  toggleCheckbox,
  updateAllCookies,
  updateCookies,
} from './edit-checkbox.ts'
export { addHeadline, type NewHeadline } from './edit-headline.ts'
export { addNote, type NoteRequest } from './edit-note.ts'
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
} from './edit-outline.ts'
export { type PlanningRequest, setPlanning, setWarning } from './edit-planning.ts'
export { type PriorityRequest, setPriority } from './edit-priority.ts'
export { deleteProperty, ensureId, setProperty } from './edit-property.ts'
export { type MovePatches, refile, refileTo } from './edit-refile.ts'
export { type SortRequest, sortChildren } from './edit-sort.ts'
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
} from './edit-table.ts'
export { setTags, toggleTag } from './edit-tags.ts'
export { cycleTodo, setTodo, type TodoRequest, type TodoStep } from './edit-todo.ts'
export { type InertOrg, inertCode, inertLine, inertOrg, obeyed } from './inert.ts'
export type { ReadFile } from './settings.ts'
