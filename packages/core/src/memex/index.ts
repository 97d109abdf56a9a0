export { type Memex, MemexError, openMemex } from './memex.ts'
export { type EditDesk, editNotes, type NoteEdit, type WrittenEdit } from './note-edit.ts'
export { bringBack, type GoneNote, goneNotes, type Return } from './restore-note.ts'
export {
  type EditResult,
  editError,
  editFile,
  editFiles,
  type ReadNote,
  undoLast,
} from './undo.ts'
