import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageScript } from '../reader/script.ts'

const built = join(import.meta.dirname, '../../dist')
copyFileSync(join(import.meta.dirname, 'style.css'), join(built, 'style.css'))
for (const name of ['reader', 'reader-live', 'reader-theme'] as const)
  writeFileSync(join(built, `${name}.min.js`), await pageScript(name))
