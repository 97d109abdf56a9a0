import type { Understood } from './languages.ts'
import { type OptionRule, readOptions } from './options.ts'
import type { Field } from './words.ts'

const modules: Readonly<Record<string, OptionRule>> = {
  json: {
    options: '--sort-keys --no-ensure-ascii --json-lines --indent: --tab --no-indent --compact',
    operands: 'path',
  },
  tokenize: { options: '-e --exact', operands: 'path' },
  ast: {
    options: '-m: --mode: -a --include-attributes -i: --indent: --no-type-comments',
    operands: 'path',
  },
  dis: { options: '-C -O --show-caches --show-offsets', operands: 'path' },
  tabnanny: { options: '-qv', operands: 'path*' },
  base64: { options: '-deu', operands: 'path' },
  zipfile: { options: '-l: --list:', operands: '' },
  tarfile: { options: '-vl: --list: --verbose', operands: '' },
  calendar: {
    options: '-w: -l: -s: -m: --width: --lines: --spacing: --months:',
    operands: 'text text',
  },
  mimetypes: { options: '-lhe --extension --lenient', operands: 'text*' },
  platform: { options: '', operands: 'text*' },
  uuid: { options: '', operands: '' },
  this: { options: '', operands: '' },
}

const lists = new Set(['zipfile', 'tarfile'])
const ownOptions = /^-[IEsBPuS]+$/

/** Reads the arguments of Python; a string is the word that was not understood. */
export function readPython(fields: readonly Field[]): Understood | string {
  const at = fields.findIndex(({ known, value }) => !(known && ownOptions.test(value)))
  const [flag, name] = at < 0 ? [] : fields.slice(at)
  if (flag?.known !== true || flag.value !== '-m') return flag?.value ?? 'nothing behind it'
  const isPlain = name?.known === true && !name.varying
  const module = isPlain ? name.value.replace(/^json\.tool$/, 'json') : ''
  const rule = Object.hasOwn(modules, module) ? modules[module] : undefined
  if (rule === undefined) return name?.value ?? flag.value
  const found = readOptions(rule, fields.slice(at + 2))
  if (typeof found === 'string' || !lists.has(module)) {
    return typeof found === 'string' ? found : { found }
  }
  if (!found.some(({ option }) => option === '-l' || option === '--list')) return module
  return {
    found: found.map((argument) => ({
      ...argument,
      role: argument.option === null ? argument.role : 'path',
    })),
  }
}
