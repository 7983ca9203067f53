import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { DigestInvalid, type DigestPublicKey, verifySigned } from './digest-key.ts'

/**
 * The sum of one kind of entries; `credits` is a whole number as text, because it may exceed 2⁵³.
 */
export const ledgerSum = z.object({
  environment: z.string(),
  kind: z.string(),
  entries: z.number(),
  credits: z.string().regex(/^-?\d+$/),
})

export type LedgerSum = z.infer<typeof ledgerSum>

/** The signed statement: it is short enough for a line of a log. */
const statement = z.object({
  version: z.literal(1),
  /** BASE_URL of the gateway. */
  gateway: z.string(),
  /** The day of the digest, in UTC. */
  day: z.iso.date(),
  /** When the digest was taken, by the clock of the database. */
  taken_at: z.iso.datetime(),
  accounts: z.int(),
  ledger: z.object({ chains: z.int(), entries: z.int(), sums: z.array(ledgerSum) }),
  audit: z.object({ chains: z.int(), events: z.int() }),
  /** SHA-256 over the lines of `heads`, each with a newline. */
  heads_sha256: z.string(),
})

export type DigestStatement = z.infer<typeof statement>

/** The statement of a digest and its proof: the same statement as a compact JWS (RFC 7515). */
export interface SignedStatement {
  readonly statement: DigestStatement
  readonly jws: string
}

const file = z.object({ heads: z.array(z.string()), statement, jws: z.string() })

/** The newest entry of one chain. */
export interface Head {
  readonly chain: 'ledger' | 'audit'
  /** The account of the chain; null for the chain of the audit trail that has no account. */
  readonly accountId: string | null
  readonly environment: Environment
  readonly seq: number
  /** 64 hexadecimal digits. */
  readonly hash: string
}

export interface Digest extends SignedStatement {
  readonly heads: readonly Head[]
}

export function digestNameOf(day: string): string {
  return `digest-${day}.json`
}

/** One line of a digest: five words. */
export function lineOf({ chain, accountId, environment, seq, hash }: Head): string {
  return `${chain} ${accountId ?? '-'} ${environment} ${seq} ${hash}`
}

const line = /^(ledger|audit) (-|\w{1,64}) (live|sandbox) ([1-9]\d{0,15}) ([0-9a-f]{64})$/

function headOf(text: string): Head {
  const [, chain, accountId = '', environment, seq, hash = ''] = line.exec(text) ?? []
  if (chain !== 'ledger' && chain !== 'audit') {
    throw new DigestInvalid(`The digest has a line that names no head: ${text.slice(0, 200)}`)
  }
  return {
    ...{ chain, seq: Number(seq), hash },
    environment: environment === 'sandbox' ? environment : 'live',
    accountId: accountId === '-' ? null : accountId,
  }
}

/**
 * Reads the text of a digest. Throws DigestInvalid unless it is whole and was signed with the private
 * half of this key.
 */
export async function readDigest(text: string, key: DigestPublicKey): Promise<Digest> {
  const parsed = file.safeParse(parseJson(text))
  if (!parsed.success) {
    throw new DigestInvalid('The file is no digest, or a part of it is missing.')
  }
  const { heads, jws } = parsed.data
  const signed = statement.parse(await verifySigned(jws, key))
  if (!isDeepStrictEqual(signed, parsed.data.statement)) {
    throw new DigestInvalid('The statement of the digest is not the one that was signed.')
  }
  const lines = heads.map((one) => `${one}\n`).join('')
  if (hash('sha256', lines, 'hex') !== signed.heads_sha256) {
    throw new DigestInvalid('The heads of the digest are not those that were signed.')
  }
  return { statement: signed, jws, heads: heads.map(headOf) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new DigestInvalid('The file is not JSON, or its end is missing.', { cause: error })
  }
}
