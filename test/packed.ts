import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { expect } from 'vitest'

const { NODE_OPTIONS: _options, FORCE_COLOR: _colour, ...env } = process.env

/** Runs a program in a folder and gives its standard output; fails the test where it fails. */
export function run(cwd: string, command: string, ...args: string[]): string {
  const result = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  expect(result.status, `${command} ${args.join(' ')}\n${result.stdout}${result.stderr}`).toBe(0)
  return result.stdout
}

/** The files that an archive of the package in this folder must have, in order. */
export function expectedFiles(source: string, ...others: string[]): string[] {
  const modules = globSync('src/*.ts', { cwd: source }).map((path) => basename(path, '.ts'))
  const built = ['.js', '.js.map', '.d.ts', '.d.ts.map']
  const each = (name: string) => [`src/${name}.ts`, ...built.map((end) => `dist/${name}${end}`)]
  return ['LICENSE', 'README.md', 'package.json', ...others, ...modules.flatMap(each)].sort()
}

/** The files that an archive has, in order. */
export function filesOf(archive: string): string[] {
  const listed = run(dirname(archive), 'tar', '-tzf', archive).trim().split('\n')
  return listed.map((path) => path.replace('package/', '')).sort()
}

/** Fails the test unless the licence of an installed package is the one of this repository. */
export function expectLicence(installed: string): void {
  const ours = readFileSync(join(import.meta.dirname, '../LICENSES/MIT.txt'), 'utf8')
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(ours)
}

/** Fails the test if an inspector has something to say, or the entrances are others than these. */
export async function inspect(archive: string, entrances: readonly string[]): Promise<void> {
  const bytes = readFileSync(archive)
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
  const { messages } = await publint({ pack: { tarball }, strict: true })
  expect(messages).toEqual([])
  const result = await checkPackage(createPackageFromTarballData(bytes))
  if (result.types === false) throw new Error('the archive has no types')
  expect(Object.keys(result.entrypoints)).toEqual(entrances)
  const served = new Set(['node16-esm', 'bundler'])
  const found = result.problems.filter(
    (problem) => !('resolutionKind' in problem) || served.has(problem.resolutionKind),
  )
  expect(found).toEqual([])
}
