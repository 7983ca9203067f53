import type { Facts } from './facts.ts'
import { describeEntry } from './facts.ts'
import type { Entry, Interval } from './history.ts'
import type { Violation } from './violation.ts'

/**
 * The ledger of one account as the order in which everything happened. Position p is the state after p
 * entries.
 */
export interface Witness {
  readonly entries: readonly Entry[]
  readonly lastPosition: number
  readonly balanceAt: (position: number) => number
  /** Live charges up to there, as a positive sum. */
  readonly chargedAt: (position: number) => number
  /** The positions at which a moment of the interval may have been; empty: first > last. */
  readonly positionsIn: (interval: Interval) => { readonly first: number; readonly last: number }
  /** What counts in a budget of all calls: charges, less those that were refunded. */
  readonly usedAt: (position: number) => number
  /**
   * The most credits that may have expired by then though their entry comes later: calls that held some of
   * them may be charged before it.
   */
  readonly expiredBy: (position: number, atMs: number) => number
  /** 0 for a request that has no charge. */
  readonly positionOf: (requestId: string) => number
}

/** When an entry can have been committed, as far as answers tell. */
interface Commit {
  /** The earliest time of the commit: what it follows from had not begun or ended before. */
  readonly fromMs: number
  /** The latest time of the commit: somebody was told then. */
  readonly byMs: number
}

/** The witness of an account, and entries that stand in an order which answers contradict. */
export function witnessOf(
  accountId: string,
  facts: Facts,
): { readonly witness: Witness; readonly violations: readonly Violation[] } {
  const entries = facts.history.books.entries
    .filter((entry) => entry.accountId === accountId && entry.environment === 'live')
    .toSorted((a, b) => a.seq - b.seq)
  const acknowledged = acknowledgements(accountId, facts)
  const commits = entries.map((entry) => commitOf(entry, facts, acknowledged))
  // latestFrom[p]: no instant before it has p entries. earliestBy[p]: no instant after it has only p.
  const latestFrom = [Number.NEGATIVE_INFINITY]
  for (const { fromMs } of commits) latestFrom.push(Math.max(fromMs, latestFrom.at(-1) ?? fromMs))
  const earliestBy = [Number.POSITIVE_INFINITY]
  for (const { byMs } of commits.toReversed()) {
    earliestBy.push(Math.min(byMs, earliestBy.at(-1) ?? byMs))
  }
  earliestBy.reverse()
  const sums = runningSums(entries, () => true)
  const charged = runningSums(entries, ({ kind }) => kind === 'charge')
  const used = runningSums(entries, ({ kind }) => kind === 'charge' || kind === 'refund')
  const grants = endingGrants(entries, facts)
  const expired = runningSums(entries, ({ kind }) => kind === 'expiry')
  const later = laterTaken(entries)
  const positions = new Map(
    entries.flatMap(({ kind, ref }, index) => (kind === 'charge' ? [[ref, index + 1]] : [])),
  )
  const violations = entries.flatMap((entry, index): Violation[] => {
    const { byMs } = commits[index] ?? { byMs: Number.POSITIVE_INFINITY }
    if (byMs >= (latestFrom[index] ?? byMs)) return []
    const expected = 'after what had been acknowledged, before what began later'
    const atMs = byMs
    return [{ kind: 'order of entries', atMs, accountId, what: describeEntry(entry), expected }]
  })
  return {
    violations,
    witness: {
      entries,
      lastPosition: entries.length,
      balanceAt: (position) => sums[position] ?? 0,
      chargedAt: (position) => -(charged[position] ?? 0),
      usedAt: (position) => -(used[position] ?? 0),
      expiredBy(position, atMs) {
        const ended = grants.filter(({ expiresAtMs }) => expiresAtMs <= atMs)
        const sum = ended.reduce((total, { credits }) => total + credits, 0)
        return Math.min(sum + (expired[position] ?? 0), later[position] ?? 0)
      },
      positionOf: (requestId) => positions.get(requestId) ?? 0,
      positionsIn: ({ startMs, endMs }) => ({
        first: earliestBy.findIndex((byMs) => byMs >= startMs),
        last: latestFrom.findLastIndex((fromMs) => fromMs <= endMs),
      }),
    },
  }
}

interface EndingGrant {
  readonly credits: number
  readonly expiresAtMs: number
}

/** The entries of one account whose credits expire. */
function endingGrants(entries: readonly Entry[], { history }: Facts): EndingGrant[] {
  const postings = new Map(history.postings.map((posting) => [posting.id, posting]))
  const allowances = new Map(
    history.books.allowances.map((one) => [`${one.accountId} ${one.seq}`, one]),
  )
  return entries.flatMap(({ accountId, seq, description, credits }) => {
    const end = postings.get(description) ?? allowances.get(`${accountId} ${seq}`)
    return typeof end?.expiresAtMs === 'number' ? [{ credits, expiresAtMs: end.expiresAtMs }] : []
  })
}

/**
 * For each position, what later charges and expiries take. Credits that have expired leave by some of them: an
 * expiry may come in parts, because calls may use what they hold.
 */
function laterTaken(entries: readonly Entry[]): number[] {
  const taken = runningSums(entries, ({ kind }) => kind === 'charge' || kind === 'expiry')
  const all = taken.at(-1) ?? 0
  return taken.map((sum) => sum - all)
}

function runningSums(entries: readonly Entry[], counts: (entry: Entry) => boolean): number[] {
  const sums = [0]
  for (const entry of entries) sums.push((sums.at(-1) ?? 0) + (counts(entry) ? entry.credits : 0))
  return sums
}

/** The end of the first answer that tells of an entry, by the request of a charge, or the id of a posting or payment. */
function acknowledgements(
  accountId: string,
  { history, groups, chargeOf }: Facts,
): ReadonlyMap<string, number> {
  const told = new Map<string, number>()
  const tell = (name: string, atMs: number) =>
    told.set(name, Math.min(atMs, told.get(name) ?? atMs))
  for (const call of history.calls) {
    const { answer, endMs } = call
    if (call.accountId !== accountId || answer?.status !== 200 || answer.isReplay) continue
    if (chargeOf(answer.requestId)) tell(answer.requestId, endMs)
  }
  for (const group of groups) {
    const [charge] = group.charges
    if (group.accountId !== accountId || !charge) continue
    for (const { answer, endMs } of group.calls) {
      if (answer?.isReplay && answer.status === 200) tell(charge.ref, endMs)
    }
  }
  for (const { accountId: buyer, paymentId, isPaid, endMs } of history.purchases) {
    if (buyer === accountId && isPaid) tell(paymentId, endMs)
  }
  for (const posting of history.postings) {
    if (posting.accountId === accountId && posting.outcome === 'done') {
      tell(posting.id, posting.endMs)
    }
  }
  return told
}

function commitOf(
  entry: Entry,
  { history, askedBy }: Facts,
  acknowledged: ReadonlyMap<string, number>,
): Commit {
  const start = history.accounts.find(({ accountId }) => accountId === entry.accountId)
  if (entry.seq <= (start?.lastSeq ?? 0)) {
    return { fromMs: Number.NEGATIVE_INFINITY, byMs: Number.NEGATIVE_INFINITY }
  }
  const never = Number.POSITIVE_INFINITY
  if (entry.kind === 'charge') {
    const asked = askedBy(entry.ref)
    const fromMs = asked?.answer?.atMs ?? Number.NEGATIVE_INFINITY
    return { fromMs, byMs: acknowledged.get(entry.ref) ?? never }
  }
  if (entry.kind === 'purchase') {
    const purchase = history.purchases.find(({ paymentId }) => paymentId === entry.ref)
    const fromMs = purchase?.startMs ?? Number.NEGATIVE_INFINITY
    return { fromMs, byMs: acknowledged.get(entry.ref) ?? never }
  }
  const posting = history.postings.find(({ id }) => id === entry.description)
  if (posting) return { fromMs: posting.startMs, byMs: acknowledged.get(posting.id) ?? never }
  // No request asked for this entry; its transaction began then, by the clock of the same machine.
  return { fromMs: entry.createdAtMs, byMs: never }
}
