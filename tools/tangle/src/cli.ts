#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { main } from './command/command.ts'

process.exitCode = await main(process.argv.slice(2))
