#!/usr/bin/env node
const installed = import.meta.url.includes('/node_modules/')
await import(installed ? '../dist/cli.js' : '../src/cli.ts')
