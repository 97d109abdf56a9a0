export { type Memex, MemexError, openMemex } from './memex.ts'
export { type EditDesk, editNotes, type NoteEdit } from './note-edit.ts'
export { bringBack, type GoneNote, goneNotes, type Return } from './restore-note.ts'
export { editError, editFile, editFiles, undoLast } from './undo.ts'
