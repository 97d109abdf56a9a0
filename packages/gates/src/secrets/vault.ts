import { lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Action,
  defineSkill,
  type Gate,
  type GateContext,
  replaceFile,
  type Skill,
  type Verdict,
} from '@passepartout/core'
import { z } from 'zod'
import { leavesMachine } from '../actions/effects.ts'
import { skeleton } from './confusables.ts'
import { lengthMin, matcherFor, namesOfAction, type VaultMatcher } from './vault-match.ts'

const entryName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)

const contentSchema = z.strictObject({
  version: z.literal(1),
  entries: z.record(entryName, z.string().min(1).max(20_000)),
})

/** What went wrong with the vault, in words for the owner; never with a value in it. */
export class VaultError extends Error {
  override name = 'VaultError'
}

const fileName = 'vault.age'
const identityName = 'vault.key'

function readPrivate(file: string): { text: Buffer; stamp: string } | null {
  const stat = lstatSync(file, { throwIfNoEntry: false, bigint: true })
  if (stat === undefined) return null
  if (!stat.isFile()) throw new VaultError(`${file} is not a file of its own`)
  if ((stat.mode & 0o077n) !== 0n) {
    throw new VaultError(
      `${file} can be read by others; change its mode to 600 and its contents too`,
    )
  }
  return { text: readFileSync(file), stamp: stampOf(file) }
}

function stampOf(file: string): string {
  const stat = lstatSync(file, { throwIfNoEntry: false, bigint: true })
  return stat === undefined ? 'none' : `${stat.mtimeNs}:${stat.size}:${stat.ino}:${stat.mode}`
}

/** Where the vault is, and how it is locked. */
interface VaultOptions {
  /** The folder; made with mode 700 when the first value is set. */
  dir: string
  /** Instead of an identity file. */
  passphrase?: string | undefined
  /** For a passphrase: the logarithm of the work; age's own default otherwise. */
  workFactor?: number | undefined
}

async function decrypt(data: Uint8Array, options: VaultOptions): Promise<Map<string, string>> {
  const { Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  if (options.passphrase === undefined) {
    const identity = readPrivate(join(options.dir, identityName))
    if (identity === null)
      throw new VaultError(`${identityName} is missing, which opens ${fileName}`)
    decrypter.addIdentity(identity.text.toString('utf8').trim())
  } else decrypter.addPassphrase(options.passphrase)
  const text = await decrypter.decrypt(data, 'text')
  const content = contentSchema.safeParse(JSON.parse(text))
  if (!content.success) throw new VaultError(`${fileName} was opened and holds no vault`)
  return new Map(Object.entries(content.data.entries))
}

async function encrypt(
  entries: ReadonlyMap<string, string>,
  options: VaultOptions,
): Promise<Uint8Array> {
  const { Encrypter, generateX25519Identity, identityToRecipient } = await import('age-encryption')
  const encrypter = new Encrypter()
  if (options.workFactor !== undefined) encrypter.setScryptWorkFactor(options.workFactor)
  if (options.passphrase === undefined) {
    const file = join(options.dir, identityName)
    let identity = readPrivate(file)?.text.toString('utf8').trim()
    if (identity === undefined) {
      identity = await generateX25519Identity()
      replaceFile(file, `${identity}\n`)
    }
    encrypter.addRecipient(await identityToRecipient(identity))
  } else encrypter.setPassphrase(options.passphrase)
  const sorted = Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
  return encrypter.encrypt(JSON.stringify({ version: 1, entries: sorted }))
}

/** Credentials by name. Only `get` gives a value away. */
export interface Vault {
  /** Why it cannot be read, or null. */
  problem(): string | null
  /** Sorted. */
  names(): string[]
  /** The value, or null where there is none or the vault cannot be read. */
  get(name: string): string | null
  /** Throws a VaultError for a name or a value that cannot be kept, or a vault that cannot be read. */
  set(name: string, value: string): Promise<void>
  /** Whether there was one. Throws a VaultError. */
  remove(name: string): Promise<boolean>
  /** Notices a file that was changed by another, and reads it again. */
  refresh(): Promise<void>
  /** Whether the file is the one that was read. */
  isCurrent(): boolean
  /** Recognises the values it holds, in any disguise. */
  matcher(): VaultMatcher
}

class Turns {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work)
    this.#last = next.catch(() => {})
    return next
  }
}

interface Content {
  entries: Map<string, string>
  stamp: string
}

async function readVault(options: VaultOptions, wasThere: boolean): Promise<Content> {
  const file = readPrivate(join(options.dir, fileName))
  if (file !== null) return { entries: await decrypt(file.text, options), stamp: file.stamp }
  if (wasThere) throw new VaultError(`${fileName} was there and is gone`)
  return { entries: new Map(), stamp: 'none' }
}

function problemOf(error: unknown): string {
  const reason =
    error instanceof VaultError ? error.message : 'it was changed, or the key is another'
  return `The vault cannot be read: ${reason}.`
}

class AgeVault implements Vault {
  readonly #options: VaultOptions
  readonly #turns = new Turns()
  #entries = new Map<string, string>()
  #matcher = matcherFor(new Map())
  #problem: string | null = null
  #stamp = 'none'

  constructor(options: VaultOptions) {
    this.#options = options
  }

  async load(): Promise<void> {
    try {
      const { entries, stamp } = await readVault(this.#options, this.#stamp !== 'none')
      this.#take(entries, stamp)
      this.#problem = null
    } catch (error) {
      this.#problem = problemOf(error)
    }
  }

  #take(entries: Map<string, string>, stamp: string): void {
    this.#entries = entries
    this.#matcher = matcherFor(entries)
    this.#stamp = stamp
  }

  isCurrent = () => stampOf(join(this.#options.dir, fileName)) === this.#stamp
  problem = () => this.#problem
  names = () => [...this.#entries.keys()].sort()
  get = (name: string) => (this.#problem === null ? (this.#entries.get(name) ?? null) : null)
  matcher = () => this.#matcher

  refresh = () =>
    this.#turns.run(async () => {
      if (!this.isCurrent()) await this.load()
    })

  set = (name: string, value: string) =>
    this.#turns.run(async () => {
      if (!entryName.safeParse(name).success) {
        throw new VaultError('Expected a name of lower-case letters, digits, dots and dashes')
      }
      if (value === '' || value.length > 20_000)
        throw new VaultError(`Expected a value for ${name}`)
      await this.#change((entries) => entries.set(name, value))
    })

  remove = (name: string) => this.#turns.run(() => this.#change((entries) => entries.delete(name)))

  async #change<T>(edit: (entries: Map<string, string>) => T): Promise<T> {
    if (!this.isCurrent()) await this.load()
    if (this.#problem !== null) throw new VaultError(this.#problem)
    const entries = new Map(this.#entries)
    const result = edit(entries)
    const { dir } = this.#options
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    replaceFile(join(dir, fileName), await encrypt(entries, this.#options))
    this.#take(entries, stampOf(join(dir, fileName)))
    return result
  }
}

/** Opens the vault. One that is not there yet is empty; one that cannot be read says so in `problem`. */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const vault = new AgeVault(options)
  await vault.load()
  return vault
}

/** Whether the gate can recognise this value in a text: it has eight letters and digits or more. */
export function isRecognisable(value: string): boolean {
  return skeleton(value).length >= lengthMin
}

/** What the gate knows of the vault. */
interface VaultFacts {
  problem: string | null
  namesIn: (text: string) => string[]
}

function factsOf(vault: Vault): VaultFacts {
  const { namesIn } = vault.matcher()
  if (vault.isCurrent()) return { problem: vault.problem(), namesIn }
  void vault.refresh()
  return { problem: vault.problem() ?? 'The vault was changed and is being read again.', namesIn }
}

/** Rejects an action with a value of the vault in it, and any that leaves while the vault is in doubt. */
export function checkVault(action: Action, context: GateContext): Verdict {
  const facts = context.facts.vault as VaultFacts | undefined
  if (facts === undefined) return { kind: 'pass' }
  const leaves = leavesMachine(action, context)
  if (facts.problem !== null && leaves) {
    const reason = `${facts.problem} Until it can be, nothing leaves this machine.`
    return { kind: 'reject', reason, rule: 'vault.integrity' }
  }
  const names = namesOfAction(action, facts.namesIn)
  if (names.length === 0) return { kind: 'pass' }
  if (!leaves && action.payload.tool === undefined) return withheld(action, names)
  const reason = `This holds ${names.join(', ')} from the vault. Refer to it by its name; its value goes nowhere.`
  return { kind: 'reject', reason, rule: 'vault.value' }
}

function withheld(action: Action, names: readonly string[]): Verdict {
  const text = `An answer was withheld, for it held ${names.join(', ')} from the vault.`
  const payload = { ...action.payload, text }
  return { kind: 'change', action: { ...action, payload }, rule: 'vault.withheld' }
}

/** The gate that knows the vault's values. */
const vaultGate: Gate = { name: 'vault', priority: 600, check: checkVault }

/** The skill that guards this vault. */
export function createVaultSkill(vault: Vault): Skill {
  return defineSkill({
    name: 'vault',
    description: 'Keeps credentials by name, and their values from going anywhere.',
    facts: () => factsOf(vault),
    holdBack: () => vault.matcher().reach(),
    gates: [vaultGate],
  })
}
