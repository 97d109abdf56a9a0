import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageScript } from './script.ts'

const built = join(import.meta.dirname, '../../dist')
copyFileSync(join(import.meta.dirname, '../pages/style.css'), join(built, 'pages/style.css'))
mkdirSync(join(built, 'reader'), { recursive: true })
for (const name of ['reader', 'live', 'theme'] as const)
  writeFileSync(join(built, `reader/${name}.min.js`), await pageScript(name))
