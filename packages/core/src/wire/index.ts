export { findAnsweringDaemon } from './client.ts'
export { type Presence, presenceOf } from './presence.ts'
export { type Server, type ServerOptions, startServer } from './server.ts'
export { openQuestions, sessionFacts } from './session-state.ts'
