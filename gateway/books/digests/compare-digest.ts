import type { AuditHeadInput } from '../../../schema/generated/operations.ts'
import type { Ask } from '../compare-with-ledger.ts'
import type { Digest, Head, LedgerSum } from './digest.ts'
import { createLedgerTotals } from './ledger-totals.ts'
import { startDigest } from './take-digest.ts'

/** A difference between the database and the digest. Without `chain` it concerns all accounts. */
export interface DigestProblem {
  readonly chain: Head['chain'] | null
  readonly account_id: string | null
  readonly environment: string | null
  /** The number of the entry that was the newest one of the chain in the digest. */
  readonly seq: number | null
  readonly problem: string
}

const headsInPart = 1000

/**
 * Compares a digest with the database, and reports each chain that was cut off or rewritten since. The
 * chains themselves must have been verified: a digest proves only that their beginning is the old one.
 */
export async function compareDigest(
  ask: Ask,
  { statement, heads }: Digest,
  tell: (problem: DigestProblem) => void,
): Promise<void> {
  const totals = createLedgerTotals()
  for (const part of partsOf(heads, 'ledger')) {
    // Every chain of the ledger has an account.
    const named = part.map((head) => ({ ...head, accountId: head.accountId ?? '' }))
    const { breaks, sums } = await ask('CheckLedgerHeads', { heads: named })
    totals.add(sums)
    for (const one of breaks) tell({ chain: 'ledger', ...one })
  }
  for (const part of partsOf(heads, 'audit')) {
    for (const one of await ask('CheckAuditHeads', { heads: part })) {
      tell({ chain: 'audit', ...one })
    }
  }
  for (const problem of differences(statement.ledger.sums, totals.list())) {
    tell({ ...noChain, chain: 'ledger', problem })
  }
  const { accounts } = await startDigest(ask)
  if (accounts < statement.accounts) {
    const problem = `there were ${statement.accounts} accounts, and there are ${accounts}`
    tell({ ...noChain, chain: null, problem })
  }
}

const noChain = { account_id: null, environment: null, seq: null }

function* partsOf(heads: readonly Head[], chain: Head['chain']): Generator<AuditHeadInput[]> {
  const ofChain = heads.filter((head) => head.chain === chain)
  for (let at = 0; at < ofChain.length; at += headsInPart) {
    yield ofChain
      .slice(at, at + headsInPart)
      .map(({ accountId, environment, seq, hash }) => ({ accountId, environment, seq, hash }))
  }
}

function differences(then: readonly LedgerSum[], now: readonly LedgerSum[]): string[] {
  const textOf = ({ entries, credits }: LedgerSum) => `${credits} credits in ${entries} entries`
  const find = (sums: readonly LedgerSum[], name: string) =>
    sums.find(({ environment, kind }) => `${environment} ${kind}` === name)
  const names = new Set([...then, ...now].map(({ environment, kind }) => `${environment} ${kind}`))
  return [...names].flatMap((name) => {
    const [before, after] = [find(then, name), find(now, name)]
    const [was, is] = [before, after].map((sum) => (sum ? textOf(sum) : 'nothing'))
    return was === is ? [] : [`the sum of ${name} was ${was}, and is ${is}`]
  })
}
