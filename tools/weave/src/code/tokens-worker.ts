import { parentPort, workerData } from 'node:worker_threads'
import { type Code, tokenise } from './tokens.ts'

parentPort?.postMessage(await tokenise(workerData as Code[]))
