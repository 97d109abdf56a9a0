export { hasKeyInPast } from './git-past.ts'
export { hiddenNotes, isLeftover, twinsOfKeys } from './hidden-notes.ts'
export { closeNetwork, runWithHosts } from './network.ts'
export { quotedWord, runInWorkspace } from './project-run.ts'
export {
  askContained,
  askUncontained,
  type ProgramAnswer,
  type RunLimits,
  type RunResult,
  runContained,
  runUncontained,
} from './run.ts'
export {
  findSandbox,
  hostSandbox,
  readingView,
  realOr,
  type SandboxFound,
  type SandboxView,
  unreadableFile,
} from './sandbox.ts'
export {
  lookThrough,
  nothingLeft,
  type StartupLook,
  type StartupOutcome,
} from './startup-files.ts'
export { askAboutChanges } from './startup-question.ts'
export { finishRuns, runWatched } from './watched-run.ts'
export {
  hiddenWithout,
  isShown,
  type Place,
  placeOf,
  shownText,
  type Workspace,
  workspaceSection,
  workspacesOf,
} from './workspaces.ts'
