import { count, defineProgram, flag, type Program, text, texts } from '../line/program.ts'

const json = flag('print it as JSON')
const memex = text('FOLDER', 'the notes, when no daemon runs and MEMEX_DIR is not set')

const found = { 0: 'found', 1: 'not found or not possible', 2: 'not understood' }
const note = 'NOTE is an id, a place such as garden.org:12, a file, or a whole title.'
const section = 'The notes'

/** What the notes say of something. */
export const search: Program = defineProgram({
  name: 'search',
  section,
  usage: 'QUERY...',
  exits: found,
  takesDashes: true,
  summary: 'find notes: words, tag:x, todo:open, scheduled:week, is:orphan',
  about: `A query is words, "phrases", begin*, title:x, tag:x, own-tag:x, todo:open, priority:A,
type:file, file:a/*.org, prop:NAME=value, inherited:NAME=value, under:"One/Two",
scheduled: deadline: closed: event: date: with a day, month, span a..b, today, week or +7d,
links-to:ID, linked-from:ID, is:orphan, is:broken, is:private, by:agent, is:outside; with or,
not or -, and ( ).`,
  examples: ["search 'beans tag:garden -todo:done'", 'search todo:open deadline:week --json'],
  options: {
    limit: count('NUMBER', 'the most hits, 0 for all', 50),
    explain: flag('say why each hit ranks where it does'),
    memex,
    json,
  },
  run: async (given) => (await import('../notes/search-program.ts')).search(given),
})

/** One note. */
export const show: Program = defineProgram({
  name: 'show',
  section,
  usage: 'NOTE...',
  about: note,
  exits: found,
  summary: 'print a note, with what is inside it',
  examples: ['show garden.org:12', 'show Sow beans'],
  options: { memex, json },
  run: async (given) => (await import('../notes/search-program.ts')).show(given),
})

/** The days to come. */
export const agenda: Program = defineProgram({
  name: 'agenda',
  section,
  usage: '[DAY]',
  summary: 'the days to come, as Emacs counts them',
  examples: ['agenda', 'agenda 2026-12-24 --days 3 --open'],
  options: {
    from: text('DAY', 'the first day, such as 2026-11-21 (today)'),
    days: count('NUMBER', 'how many days', 7),
    open: flag('without what is done'),
    'no-habits': flag('habits like other tasks'),
    memex,
    json,
  },
  run: async (given) => (await import('../notes/search-program.ts')).days(given),
})

/** What links to a note. */
export const backlinks: Program = defineProgram({
  name: 'backlinks',
  section,
  usage: 'NOTE...',
  about: note,
  exits: found,
  summary: 'the notes that link to a note',
  options: { memex, json },
  run: async (given) => (await import('../notes/search-program.ts')).backlinksOf(given),
})

/** The conversations there have been. */
export const sessions: Program = defineProgram({
  name: 'sessions',
  section,
  usual: 'list',
  summary: 'the conversations there have been: list, show, search, rename, remove',
  about:
    'A session is named by its first words, or by the name that it was given; some of its words will do.',
  programs: [
    defineProgram({
      name: 'list',
      summary: 'the last used one first',
      options: { json, lines: count('NUMBER', 'how many', 30, 'n') },
      run: async (given) => (await import('../notes/sessions-program.ts')).listSessions(given),
    }),
    defineProgram({
      name: 'show',
      usage: 'NAME...',
      options: { json },
      summary: 'what was said',
      run: async (given) => (await import('../notes/sessions-program.ts')).showSession(given),
    }),
    defineProgram({
      name: 'search',
      usage: 'WORD...',
      exits: found,
      options: { json, lines: count('NUMBER', 'how many exchanges', 10, 'n') },
      summary: 'what was said about something',
      run: async (given) => (await import('../notes/sessions-program.ts')).searchSessions(given),
    }),
    defineProgram({
      name: 'rename',
      usage: 'NAME NEW...',
      options: { json },
      summary: 'call it something else',
      examples: ['sessions rename beans The garden'],
      run: async (given) => (await import('../notes/sessions-program.ts')).renameSession(given),
    }),
    defineProgram({
      name: 'remove',
      usage: 'NAME...',
      options: { json },
      summary: 'remove it for good',
      run: async (given) => (await import('../notes/sessions-program.ts')).removeSession(given),
    }),
  ],
})

/** What is broken or overgrown. */
export const garden: Program = defineProgram({
  name: 'garden',
  section,
  summary: 'what is broken or overgrown in your notes',
  about: `Lists links that lead nowhere, ids that are missing, lost or there twice, notes that say nearly
the same, notes that nothing links to, tasks that were not touched for long or done long ago,
files that are not there, and hashes that are wrong. A line with an arrow has a repair: a
running daemon proposes it, as a flight plan with a diff.`,
  options: { 'dry-run': flag('propose no repairs'), json: flag('print JSON, and propose nothing') },
  run: async (given) => (await import('../notes/garden-program.ts')).lookAfterGarden(given),
})

/** A page for other assistants. */
export const agentsMd: Program = defineProgram({
  name: 'agents-md',
  section,
  summary: 'write a page for assistants that you let into your notes',
  about: `Writes AGENTS.md into the folder of your notes. One that you have written yourself is left alone.`,
  options: { 'dry-run': flag('print it, and write nothing'), json },
  run: async (given) => (await import('../notes/agents-md.ts')).writeAgentsPage(given),
})

/** Memories of another assistant. */
export const importMemories: Program = defineProgram({
  name: 'import-memories',
  section,
  usage: 'openclaw|hermes|claude-code FOLDER',
  summary: 'bring in what another assistant has written down about you',
  about: `Writes it into memories-ORIGIN.org, with where it came from, secrets masked, and marked as
words from outside. Nothing is written over, and nothing is brought in twice.`,
  options: {
    'dry-run': flag('say what would be brought in, and write nothing'),
    memex,
    json: flag('one object for each piece'),
  },
  run: async (given) => (await import('../notes/memories-import.ts')).importMemories(given),
})

const past = 'The memory'

const memoryPrograms = [
  defineProgram({
    name: 'history',
    usage: 'ID',
    options: { json },
    summary: 'every version of a note, oldest first',
    run: async (given) => (await import('../notes/memory-program.ts')).history(given),
  }),
  defineProgram({
    name: 'diff',
    usage: 'ID|HASH [HASH]',
    options: { json },
    summary: 'what the last edit changed, or what differs between two versions',
    run: async (given) => (await import('../notes/memory-program.ts')).diff(given),
  }),
  defineProgram({
    name: 'restore',
    usage: 'ID [HASH]',
    options: { json },
    summary: 'write an earlier text back into the file',
    run: async (given) => (await import('../notes/memory-program.ts')).restoreNote(given),
  }),
  defineProgram({
    name: 'snapshot',
    usage: '[NAME]',
    summary: 'keep this moment under a name, or list those that are kept',
    options: {
      all: flag('list those too that were kept before each action'),
      remove: flag('remove it'),
      yes: flag('say yes to the question of a daemon'),
      json,
    },
    run: async (given) => (await import('../notes/memory-program.ts')).snapshot(given),
  }),
  defineProgram({
    name: 'rollback',
    usage: 'NAME',
    summary: 'put the memory back to a snapshot',
    options: {
      files: flag('the files too, when the plan is approved'),
      yes: flag('approve the plan'),
      json,
    },
    run: async (given) => (await import('../notes/memory-program.ts')).rollBack(given),
  }),
  defineProgram({
    name: 'why',
    usage: 'ID|FILE:LINE',
    summary: 'whether a model is shown a note, and why',
    about: 'Rank, room, private, or another project, for a question.',
    options: {
      question: text('WORDS', 'the question (your last one)'),
      scope: texts('NAME', 'seen from a project'),
      focus: text('ID', 'seen from a note'),
      json,
    },
    run: async (given) => (await import('../notes/memory-why.ts')).whyShown(given),
  }),
  defineProgram({
    name: 'check',
    options: { json },
    summary: 'compute every hash again, and list what cannot be read or is there twice',
    run: async (given) => (await import('../notes/memory-program.ts')).checkMemory(given),
  }),
]

const memoryFiles = [
  defineProgram({
    name: 'export',
    usage: 'FILE',
    options: { json },
    summary: 'write all of it as an Org file',
    run: async (given) => (await import('../notes/memory-program.ts')).exportFile(given),
  }),
  defineProgram({
    name: 'import',
    usage: 'FILE',
    options: { json },
    summary: 'read such a file, to the same hashes',
    run: async (given) => (await import('../notes/memory-program.ts')).importFile(given),
  }),
  defineProgram({
    name: 'gc',
    options: { json },
    summary: 'remove what the policy lets go',
    run: async (given) => (await import('../notes/memory-program.ts')).collectGarbage(given),
  }),
]

/** What notes were. */
export const memory: Program = defineProgram({
  name: 'memory',
  section: past,
  programs: [...memoryPrograms, ...memoryFiles],
  summary: 'the history of your notes: history, diff, restore, snapshot, rollback, why, check',
  examples: ['memory history garden-1', 'memory rollback before-the-trip --files'],
})

const kept = 'memory, journal, vault and configuration'

/** One archive of it. */
export const backup: Program = defineProgram({
  name: 'backup',
  section: past,
  usage: 'FILE',
  options: { json },
  summary: `put ${kept} into one file`,
  about: 'What is known of hooks and chats is in it too. The notes are files and are not.',
  examples: ['backup ~/passepartout.tar.gz'],
  run: async (given) => (await import('../setup/backup-program.ts')).makeBackup(given),
})

/** Back from it. */
export const restore: Program = defineProgram({
  name: 'restore',
  section: past,
  usage: 'FILE',
  summary: `bring ${kept} back`,
  about: 'The archive is verified first; no daemon may run.',
  options: { 'move-aside': flag('keep what is there under another name'), json },
  run: async (given) => (await import('../setup/backup-program.ts')).restoreBackup(given),
})

/** Why something was decided. */
export const why: Program = defineProgram({
  name: 'why',
  section: past,
  usage: '[ID]',
  options: { json },
  summary: 'explain a decision, the last one or one by its id',
  about: 'The story is told from the trace; no daemon is needed, and no model is asked.',
  exits: { 0: 'explained', 1: 'there is no such entry', 2: 'not understood' },
  run: async (given) => (await import('../gates/why-program.ts')).explainDecision(given),
})
