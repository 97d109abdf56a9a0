import { existsSync } from 'node:fs'
import {
  commandName,
  defineSkill,
  type Runtime,
  type Signal,
  type Skill,
  tellOwner,
} from '@passepartout/core'
import { ledgerPath, openLedger } from './delivery-ledger.ts'
import type { Gateway, GatewaySettings } from './gateway.ts'
import { attachmentSensor, HeldFiles, keepAttachment } from './inbox.ts'
import { type GatewayDesk, openDesk } from './router.ts'

/** Where the desk will be, and the files that wait for it. */
export interface GatewayHall {
  desk: GatewayDesk | null
  held: HeldFiles
}

/** A hall without a desk. */
export function newHall(): GatewayHall {
  return { desk: null, held: new HeldFiles() }
}

/** What the gates are told. */
interface GatewayFacts {
  /** Whether the session belongs to somebody who was let in. */
  isPaired: boolean
}

/** The skill that brings chat networks. */
export function createGatewaysSkill(hall: GatewayHall): Skill {
  return defineSkill({
    name: 'gateways',
    description: 'Talks over Telegram and Signal with those whom the owner lets in.',
    facts: (_runtime, { meta }): GatewayFacts => ({
      isPaired: hall.desk?.isPaired(meta.sessionId ?? '') ?? false,
    }),
    tools: [keepAttachment(hall.held)],
    hiddenTools: () => ['keep-attachment'],
    sensors: { 'chat-attachment': attachmentSensor },
  })
}

/** Where the token of a bot is kept. */
interface TokenVault {
  /** Reads what was put in since. */
  refresh(): Promise<unknown>
  get(name: string): string | null
}

/** What is needed to link a network. */
export interface GatewayNeeds {
  runtime: Runtime
  vault: TokenVault | null
  /** Hands a signal to the pipeline; resolves when its turn is over. */
  process: (signal: Signal) => Promise<void>
}

async function make(settings: GatewaySettings, { runtime, vault }: GatewayNeeds): Promise<Gateway> {
  if (settings.name === 'signal') {
    return (await import('./signal.ts')).createSignal(settings, runtime.clock)
  }
  await vault?.refresh()
  const token = vault?.get(settings.tokenVault) ?? null
  if (token === null) {
    throw new Error(
      `the vault has no ${settings.tokenVault}; put the bot’s token in: ${commandName} gateway link telegram`,
    )
  }
  return (await import('./telegram.ts')).createTelegram(settings, token, runtime.clock)
}

/** Links and unlinks until it is as configured; resolves to what is to be told. */
export async function linkGateways(
  hall: GatewayHall,
  settings: readonly GatewaySettings[],
  needs: GatewayNeeds,
): Promise<string[]> {
  const { process, runtime } = needs
  const path = ledgerPath(runtime.config.stateDir)
  if (hall.desk === null && settings.length === 0 && !existsSync(path)) return []
  if (hall.desk === null) {
    const ledger = openLedger(path, runtime.clock, (sentence) => tellOwner(runtime, sentence))
    const of = (wished: GatewaySettings) => make(wished, needs)
    hall.desk = openDesk({ ledger, runtime, process, make: of, held: hall.held })
  }
  return hall.desk.relink(settings)
}
