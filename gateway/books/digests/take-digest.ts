import { createHash } from 'node:crypto'
import type { BodyOf } from '../../../schema/generated/operations.ts'
import type { Ask } from '../compare-with-ledger.ts'
import { type DigestStatement, type Head, lineOf, type SignedStatement } from './digest.ts'
import { type DigestKey, sign } from './digest-key.ts'
import { createLedgerTotals } from './ledger-totals.ts'

const headsInPage = 1000

type StoredHead = BodyOf<'ListAuditHeads'>[number]

export interface DigestStart {
  /** UTC, by the clock of the database. */
  readonly day: string
  /** ISO 8601 */
  readonly takenAt: string
  readonly accounts: number
}

/** Asks for the day of the database and the number of accounts. */
export async function startDigest(ask: Ask): Promise<DigestStart> {
  const { takenAt, accounts } = await ask('StartDigest', {})
  return { day: takenAt.slice(0, 10), takenAt, accounts }
}

interface TakeOptions {
  readonly ask: Ask
  readonly key: DigestKey
  /** BASE_URL. */
  readonly gateway: string
  /** Takes the digest, part by part. */
  readonly write: (text: string) => Promise<void>
}

/**
 * Writes a digest, a page of heads at a time, and returns its statement. Charges may go on: each
 * head is as it was when its page was read.
 */
export async function takeDigest(
  { day, takenAt, accounts }: DigestStart,
  { ask, key, gateway, write }: TakeOptions,
): Promise<SignedStatement> {
  const digested = createHash('sha256')
  const totals = createLedgerTotals()
  const counts = { ledger: { chains: 0, seq: 0 }, audit: { chains: 0, seq: 0 } }

  async function add(chain: Head['chain'], heads: readonly StoredHead[]): Promise<void> {
    const lines = heads.map(({ account_id: accountId, ...one }) =>
      lineOf({ chain, accountId, ...one }),
    )
    for (const line of lines) digested.update(`${line}\n`)
    const isFirst = counts.ledger.chains + counts.audit.chains === 0
    if (lines.length > 0) {
      await write(`${isFirst ? '' : ','}\n${lines.map((line) => JSON.stringify(line)).join(',\n')}`)
    }
    counts[chain].chains += heads.length
    counts[chain].seq += heads.reduce((sum, { seq }) => sum + seq, 0)
  }

  await write('{"heads":[')
  for await (const page of ledgerPages(ask)) {
    totals.add(page.sums)
    await add('ledger', page.heads)
  }
  for await (const heads of auditPages(ask)) await add('audit', heads)

  const statement: DigestStatement = {
    version: 1,
    ...{ gateway, day, taken_at: takenAt, accounts },
    ledger: { chains: counts.ledger.chains, entries: counts.ledger.seq, sums: totals.list() },
    audit: { chains: counts.audit.chains, events: counts.audit.seq },
    heads_sha256: digested.digest('hex'),
  }
  const signed = { statement, jws: await sign(key, statement) }
  await write(`\n],${JSON.stringify(signed).slice(1)}\n`)
  return signed
}

async function* ledgerPages(ask: Ask): AsyncGenerator<BodyOf<'ListLedgerHeads'>> {
  let last: StoredHead | undefined
  do {
    const page: BodyOf<'ListLedgerHeads'> = await ask('ListLedgerHeads', {
      afterAccountId: last?.account_id ?? '',
      afterEnvironment: last?.environment ?? '',
      limit: headsInPage,
    })
    yield page
    last = page.heads.length < headsInPage ? undefined : page.heads.at(-1)
  } while (last)
}

async function* auditPages(ask: Ask): AsyncGenerator<readonly StoredHead[]> {
  let last: StoredHead | undefined
  do {
    const afterChain = last ? `${last.account_id ?? ''}/${last.environment}` : ''
    const heads: readonly StoredHead[] = await ask('ListAuditHeads', {
      afterChain,
      limit: headsInPage,
    })
    yield heads
    last = heads.length < headsInPage ? undefined : heads.at(-1)
  } while (last)
}
