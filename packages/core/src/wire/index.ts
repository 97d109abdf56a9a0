export { presenceOf } from './presence.ts'
export { type Server, startServer } from './server.ts'
export { openQuestions, sessionFacts } from './session-state.ts'
