import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { styleSheets } from '../pages/style.ts'
import { pageScript } from './script.ts'

const built = join(import.meta.dirname, '../../dist')
for (const path of styleSheets) copyFileSync(path, join(built, 'pages', basename(path)))
mkdirSync(join(built, 'reader'), { recursive: true })
for (const name of ['reader', 'live', 'theme'] as const)
  writeFileSync(join(built, `reader/${name}.min.js`), await pageScript(name))
