import type { Run } from './commands.ts'
import { reachesNetwork } from './network.ts'

interface Tool {
  /** Words behind the name that reach another machine. */
  distant: string
  /** Words that record something here and reach nobody. */
  local: string
  match: { distant: string[]; local: string[]; project: string[] }
}

/** Tools of which one word says what they are for. */
export const toolsOfWork: Record<string, Tool> = {
  git: {
    distant:
      'push pull fetch clone ls-remote send-email request-pull imap-send svn p4 lfs remote submodule archive upload-pack receive-pack',
    local:
      'add am apply bisect branch checkout cherry-pick clean commit config gc init maintenance merge mv notes ' +
      'rebase reflog replace reset restore revert rm sparse-checkout stash switch tag update-index update-ref worktree',
    match: {
      distant: ['git push', 'git -C x pull', 'git clone a b', 'git remote update'],
      local: ['git commit -m x', 'git add .', 'git checkout -b x', 'git stash'],
      project: [],
    },
  },
  npm: {
    distant:
      'install i ci add update up upgrade outdated view info show search publish unpublish login logout whoami audit ' +
      'pack init create exec x dist-tag owner access deprecate star ping doctor fund uninstall remove rm link dedupe',
    local: 'version pkg config set cache',
    match: {
      distant: ['npm install', 'npm publish', 'npm outdated'],
      local: ['npm version patch'],
      project: ['npm test', 'npm run build', 'npm start'],
    },
  },
  cargo: {
    distant: 'install publish search update fetch login logout owner yank add info',
    local: 'clean init new remove',
    match: {
      distant: ['cargo install x', 'cargo publish'],
      local: ['cargo clean', 'cargo new x'],
      project: ['cargo test', 'cargo build --release', 'cargo clippy', 'cargo tree'],
    },
  },
  docker: {
    distant:
      'push pull login logout search build buildx run create compose swarm stack plugin manifest',
    local:
      'start stop restart kill rm rmi exec cp tag rename pause unpause prune commit volume network system image container load save update attach',
    match: {
      distant: ['docker pull x', 'docker build .', 'docker run x'],
      local: ['docker stop web', 'docker rm web', 'docker exec web ls'],
      project: [],
    },
  },
  pip: {
    distant: 'install download search index wheel',
    local: 'uninstall config cache',
    match: { distant: ['pip install x'], local: ['pip uninstall x'], project: [] },
  },
}

const alsoNamed: Record<string, string> = {
  pnpm: 'npm',
  yarn: 'npm',
  bun: 'npm',
  podman: 'docker',
  pip3: 'pip',
}

const runsProject =
  /^(g?make|ninja|meson|cmake|ctest|pytest|tox|nox|vitest|jest|mocha|eslint|prettier|biome|tsc|ruff|black|mypy|gradlew?|mvnw?|ant|rake|bundle|rspec|just|task|turbo|nx|vite|webpack|rollup|esbuild|go|dotnet|swift|mix|stack|cabal|zig|sbt|lein|composer|phpunit|rubocop|pre-commit|hatch|poetry|uv|tsx|ts-node|deno)$/

/** Why a run is a question, for the tools whose work is known; null for all others. */
export function workOf({ program, argv }: Run): { rule: string; reason: string } | null {
  const tool = toolsOfWork[alsoNamed[program] ?? program]
  if (tool === undefined) {
    if (runsProject.test(program)) return project(`${program} runs`)
    if (!reachesNetwork(program)) return null
    return { rule: 'network.connection', reason: `${program} may talk to another machine` }
  }
  const words = argv.slice(1).map(({ value }) => value)
  const word = words.find(
    (each, index) =>
      !each.startsWith('-') && !/^(-C|-c|--prefix|--context)$/.test(words[index - 1] ?? ''),
  )
  if (word === undefined || tool.distant.split(' ').includes(word)) {
    const name = word === undefined ? program : `${program} ${word}`
    return { rule: 'network.connection', reason: `${name} may talk to another machine` }
  }
  if (tool.local.split(' ').includes(word)) {
    const what = program === 'git' ? 'this repository' : 'what is kept on this machine'
    return { rule: 'shell.local-work', reason: `${program} ${word} changes ${what}` }
  }
  if (tool !== toolsOfWork.npm && tool !== toolsOfWork.cargo) {
    return { rule: 'network.connection', reason: `${program} may talk to another machine` }
  }
  return project(`${program} ${word} runs`)
}

function project(what: string): { rule: string; reason: string } {
  return { rule: 'shell.project', reason: `${what} what this project says` }
}
