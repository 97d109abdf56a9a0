import type { OrgNode } from './base-node.ts'
import type { AffiliatedKeyword } from './lesser-elements.ts'
import type { AnyOrgNode, OrgElement } from './nodes.ts'
import type { OrgDate, OrgObject } from './object-nodes.ts'

/** Texts and numbers that a parser finds and a printer does not need. */
type Found =
  | 'position'
  | 'postBlank'
  | 'preBlank'
  | 'postAffiliated'
  | 'line'
  | 'rawValue'
  | 'rawLink'
  | 'bullet'
  | 'utf8'
  | 'html'
  | 'latex'
  | 'ascii'
  | 'latin1'

type Repeating = 'babel-call' | 'inline-babel-call' | 'macro' | 'radio-target'

type FoundIn<N> = N extends { type: Repeating } ? Found | 'value' : Found

type Free<T> = null extends T ? false : string extends T ? true : number extends T ? true : false

/** The names of the properties that have no default. */
type Needed<N> = {
  [K in keyof N]-?: K extends 'type'
    ? K
    : K extends FoundIn<N> | Ability
      ? never
      : Free<N[K]> extends true
        ? K
        : never
}[keyof N]

type Part<T> = T extends OrgNode | AffiliatedKeyword | OrgDate
  ? Draft<T>
  : T extends readonly (infer M)[]
    ? readonly Part<M>[]
    : T

/** What a class of nodes can do, and a draft need not. */
type Ability =
  | 'startOffset'
  | 'endOffset'
  | 'source'
  | 'hash'
  | 'origin'
  | 'body'
  | 'last'
  | 'parsed'
  | 'endAt'
  | 'reach'
  | 'remember'
  | 'contain'
  | 'affiliate'
  | 'toJSON'

/** A node of type `N` with only what cannot be left out; `null` and missing mean the same. */
export type Draft<N> = N extends unknown
  ? { readonly [K in Needed<N>]: Part<N[K]> } & {
      readonly [K in Exclude<keyof N, Needed<N> | Ability>]?: Part<N[K]> | undefined
    }
  : never

/** An object to print; plain text is one. */
export type ObjectDraft = Draft<OrgObject>

/** An element to print. */
export type ElementDraft = Draft<OrgElement>

/** Anything that can be printed. */
export type OrgDraft = Draft<AnyOrgNode>
