import { defineProgram, flag, type Program, text } from '../line/program.ts'

const json = flag('print it as JSON')
const dryRun = flag('say what would be done, and do nothing')
const abilities = 'What it can do'

const own = flag(
  'take one that is not in your own folder for yours, with this text: you have read it',
)

const skillFiles = [
  defineProgram({
    name: 'list',
    summary: 'what there is, and how it is doing',
    options: { json },
    run: async (given) => (await import('../skills/skill-program.ts')).listSkills(given),
  }),
  defineProgram({
    name: 'new',
    usage: 'NAME [WORDS...]',
    summary: 'write a skill that works, to be changed',
    options: { from: text('TEXT', 'have a model write it from this; you decide'), json },
    run: async (given) => (await import('../skills/skill-program.ts')).newSkill(given),
  }),
  defineProgram({
    name: 'check',
    usage: 'NAME|FILE',
    options: { own, json },
    summary: 'try it, with its tests, and run nothing else',
    exits: { 0: 'it is good', 1: 'it has a mistake', 2: 'not understood' },
    run: async (given) => (await import('../skills/skill-program.ts')).checkSkill(given),
  }),
  defineProgram({
    name: 'tools',
    usage: '[NAME]',
    options: { json },
    summary: 'what a skill may call, with its arguments',
    run: async (given) => (await import('../skills/skill-program.ts')).listTools(given),
  }),
  defineProgram({
    name: 'enable',
    usage: 'NAME|FILE',
    options: { own, json },
    summary: 'grant what it asks for',
    run: async (given) => (await import('../skills/skill-program.ts')).enableSkill(given),
  }),
  defineProgram({
    name: 'disable',
    usage: 'NAME',
    summary: 'stop it',
    options: { json },
    run: async (given) => (await import('../skills/skill-program.ts')).disableSkill(given),
  }),
  defineProgram({
    name: 'reload',
    summary: 'have a running daemon look again',
    options: { json },
    run: async (given) => (await import('../skills/skill-program.ts')).reloadSkills(given),
  }),
  defineProgram({
    name: 'why',
    usage: 'NAME',
    options: { json },
    summary: 'say what is wrong, or what it is doing',
    run: async (given) => (await import('../skills/skill-program.ts')).whySkill(given),
  }),
]

const skillChanges = [
  defineProgram({
    name: 'versions',
    usage: 'NAME',
    options: { json },
    summary: 'what its text was, and since when',
    run: async (given) => (await import('../skills/skill-program.ts')).listVersions(given),
  }),
  defineProgram({
    name: 'back',
    usage: 'NAME [VERSION]',
    summary: 'make it again what it was',
    options: { 'dry-run': flag('show the difference, and write nothing'), json },
    run: async (given) => (await import('../skills/skill-program.ts')).backToVersion(given),
  }),
  defineProgram({
    name: 'import',
    usage: 'FOLDER',
    options: { json },
    summary: 'take over the words of a SKILL.md',
    run: async (given) => (await import('../skills/skill-program.ts')).takeOver(given),
  }),
  defineProgram({
    name: 'export',
    usage: 'NAME FOLDER',
    options: { json },
    summary: 'write the words as a SKILL.md for other agents',
    run: async (given) => (await import('../skills/skill-program.ts')).giveAway(given),
  }),
  defineProgram({
    name: 'improve',
    usage: 'NAME [WORDS...]',
    options: { json },
    summary: 'have a model propose a repair; you decide',
    exits: { 1: 'nothing was proposed', 3: 'a proposal waits for you' },
    run: async (given) => (await import('../skills/skill-program.ts')).improveSkill(given),
  }),
]

/** The owner's skills. */
export const skill: Program = defineProgram({
  name: 'skill',
  section: abilities,
  programs: [...skillFiles, ...skillChanges],
  summary: 'look after skills: list, new, check, enable, disable, why, versions, import, export',
  examples: ['skill new greeter', 'skill check greeter', 'skill enable greeter'],
})

/** What the gates would say. */
export const gates: Program = defineProgram({
  name: 'gates',
  section: abilities,
  summary: 'ask the gates, without running anything',
  programs: [
    defineProgram({
      name: 'check',
      summary: 'read actions as JSON lines, print a verdict for each',
      about: `Standard input has one JSON object on each line, and so has standard output:
  {"tool" or "target", "args", "source", "origin", "words", "mode", "explanation"}
  {"verdict": "allow|ask|reject", "gate", "rule", "reason"}
A tool that there is not is judged as described; its verdict says "supposed": true, and the
daemon would refuse it. Nothing is run, and no daemon is needed. Your own skills' gates are
asked as they are granted; one that is not asked is named on standard error. MEMEX_DIR names
the notes; without it the memex is empty.`,
      examples: ['gates check --stats < ACTIONS > VERDICTS'],
      exits: { 0: 'all lines were read', 1: 'the configuration is wrong', 2: 'not understood' },
      options: {
        stats: flag('a table of verdicts on standard error at the end'),
        json: flag('JSON lines; this is the only form'),
      },
      run: async (given) => (await import('../gates/gates-check.ts')).checkGates(given),
    }),
  ],
})

/** Hooks in the notes. */
export const events: Program = defineProgram({
  name: 'events',
  section: abilities,
  usual: 'list',
  summary: 'hooks in your notes: list, dead, retry, drop, pause, resume',
  programs: [
    defineProgram({
      name: 'list',
      options: { json },
      summary: 'the hooks in your notes, and what they have spent',
      run: async (given) => (await import('../skills/events-program.ts')).listHooks(given),
    }),
    defineProgram({
      name: 'dead',
      summary: 'what came to nothing, and why',
      options: { json },
      run: async (given) => (await import('../skills/events-program.ts')).deadLetters(given),
    }),
    defineProgram({
      name: 'retry',
      usage: 'ID|all',
      options: { 'dry-run': dryRun, json },
      summary: 'have a daemon try it again, within twenty seconds',
      run: async (given) => (await import('../skills/events-program.ts')).retryLetters(given),
    }),
    defineProgram({
      name: 'drop',
      usage: 'ID|all',
      options: { 'dry-run': dryRun, json },
      summary: 'forget it',
      run: async (given) => (await import('../skills/events-program.ts')).dropLetters(given),
    }),
    defineProgram({
      name: 'pause',
      usage: 'HOOK|all',
      options: { 'dry-run': dryRun, json },
      summary: 'stop a hook, or all of them, at once',
      run: async (given) => (await import('../skills/events-program.ts')).pauseHooks(given),
    }),
    defineProgram({
      name: 'resume',
      usage: 'HOOK|all',
      options: { 'dry-run': dryRun, json },
      summary: 'let it go on',
      run: async (given) => (await import('../skills/events-program.ts')).resumeHooks(given),
    }),
  ],
})

const person = 'telegram|signal PERSON'
const dry = flag('say what would be written, and write nothing')

const networkPrograms = [
  defineProgram({
    name: 'list',
    options: { json },
    summary: 'who may speak, and who may approve',
    run: async (given) => (await import('../services/gateway-program.ts')).listPeople(given),
  }),
  defineProgram({
    name: 'status',
    options: { json },
    summary: 'how the networks are',
    run: async (given) => (await import('../services/gateway-program.ts')).networkStatus(given),
  }),
  defineProgram({
    name: 'link',
    usage: 'telegram|signal',
    summary: 'link a network; the token of a bot comes from standard input',
    options: {
      api: text('URL', 'telegram: a server of its own'),
      webhook: text('URL', 'telegram: where updates are sent'),
      listen: text('HOST:PORT', 'telegram: where they are listened for'),
      account: text('NUMBER', 'signal: the agent’s number'),
      server: text('SOCKET|HOST:PORT', 'signal: where signal-cli is'),
      groups: flag('answer in groups too'),
      'dry-run': dry,
      json,
    },
    run: async (given) => (await import('../services/gateway-program.ts')).linkNetwork(given),
  }),
  defineProgram({
    name: 'unlink',
    usage: 'telegram|signal',
    options: { 'dry-run': dry, json },
    summary: 'take a network away',
    run: async (given) => (await import('../services/gateway-program.ts')).unlinkNetwork(given),
  }),
  defineProgram({
    name: 'pair',
    usage: 'telegram|signal',
    options: { json },
    summary: 'print a code that lets whoever sends it first speak',
    run: async (given) => (await import('../services/gateway-program.ts')).pairPerson(given),
  }),
  defineProgram({
    name: 'allow',
    usage: person,
    summary: 'let a person speak',
    options: { approver: flag('and answer questions'), 'dry-run': dry, json },
    run: async (given) => (await import('../services/gateway-program.ts')).letIn(given),
  }),
  defineProgram({
    name: 'deny',
    usage: person,
    options: { 'dry-run': dry, json },
    summary: 'make a person a stranger again',
    run: async (given) => (await import('../services/gateway-program.ts')).turnAway(given),
  }),
]

/** Chat networks. */
export const gateway: Program = defineProgram({
  name: 'gateway',
  section: abilities,
  programs: networkPrograms,
  summary: 'chat networks: link, unlink, list, status, pair, allow, deny',
  examples: ['gateway link telegram < TOKEN', 'gateway pair telegram'],
})

/** Other people's tools; they stand below `mcp`. */
export const serverPrograms: readonly Program[] = [
  defineProgram({
    name: 'servers',
    usage: '[NAME]',
    options: { json },
    summary: 'what the servers of your configuration offer, and what of it is approved',
    about: `Servers are named in config.org, with :MCP: NAME and :COMMAND: or :URL:.`,
    run: async (given) => (await import('../services/mcp-program.ts')).listServers(given),
  }),
  defineProgram({
    name: 'approve',
    usage: 'NAME [TOOL...]',
    summary: 'approve tools of a server as they describe themselves',
    about: `A tool that changes is off until you approve it again. Each use asks you, until you answer
“always” for a tool.`,
    options: { all: flag('all that are new or have changed'), 'dry-run': dry },
    run: async (given) => (await import('../services/mcp-program.ts')).approveTools(given),
  }),
  defineProgram({
    name: 'forget',
    usage: 'NAME',
    summary: 'take back what was approved of a server',
    run: async (given) => (await import('../services/mcp-program.ts')).forgetServer(given),
  }),
]
