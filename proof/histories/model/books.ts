import { describeCall, type Facts } from './facts.ts'
import { type Entry, fingerprint } from './history.ts'
import type { Violation } from './violation.ts'

/** The books agree with each other, at the end and in every snapshot (docs/credits.md I1, I2, I4 to I6, I9). */
export function checkBooks(facts: Facts): Violation[] {
  const { history } = facts
  const endMs = Math.max(...history.snapshots.map(({ atMs }) => atMs))
  const general = history.books.drifts.map(
    (what): Violation => ({
      ...{ kind: 'books differ', atMs: endMs, accountId: '', what },
      expected: 'a verification without findings',
    }),
  )
  return [
    ...general,
    ...history.accounts.flatMap(({ accountId }) => checkAccount(accountId, facts, endMs)),
    ...checkLog(facts, endMs),
  ]
}

/** How long a posting may wait for the balance: its time is that of its beginning. */
const lockWaitMs = 5000

/** Whether an entry may leave less than what is held, and a balance below 0. */
function forcedEntries({ postings }: Facts['history']): (entry: Entry) => boolean {
  const forced = new Set(postings.filter((one) => one.allowNegative).map(({ id }) => id))
  return ({ kind, credits, description }) =>
    credits < 0 && (kind === 'clawback' || forced.has(description))
}

function checkAccount(accountId: string, { history }: Facts, endMs: number): Violation[] {
  const { entries: all, balances, holds } = history.books
  const isForced = forcedEntries(history)
  const excusedMs = history.rules.holdTtlMs + lockWaitMs
  const entries = all
    .filter((entry) => entry.accountId === accountId && entry.environment === 'live')
    .toSorted((a, b) => a.seq - b.seq)
  const violations: Violation[] = []
  const complain = (what: string, expected: string, atMs = endMs) =>
    violations.push({ kind: 'books differ', atMs, accountId, what, expected })

  let sum = 0
  let forcedAtMs = Number.NEGATIVE_INFINITY
  for (const [index, entry] of entries.entries()) {
    const { seq, credits, balanceAfter, createdAtMs } = entry
    sum += credits
    if (isForced(entry)) forcedAtMs = createdAtMs
    if (seq !== index + 1) complain(`entry ${seq}`, `the number ${index + 1}`, createdAtMs)
    if (balanceAfter !== sum) complain(`entry ${seq} says ${balanceAfter}`, `${sum}`, createdAtMs)
    // Holds that were open when credits were taken back are charged.
    if (sum < 0 && credits < 0 && createdAtMs - forcedAtMs > excusedMs) {
      complain(`a balance of ${sum} after entry ${seq}`, 'at least 0', createdAtMs)
    }
  }
  const balance = balances.find((row) => row.accountId === accountId)
  if (balance?.balance !== sum || balance.lastSeq !== entries.length) {
    complain(
      `balance ${balance?.balance} after ${balance?.lastSeq}`,
      `${sum} after ${entries.length}`,
    )
  }
  const open = holds.filter((hold) => hold.accountId === accountId)
  if (open.length > 0 || balance?.held !== 0) {
    const what = `${balance?.held} held, for ${open.map(({ requestId }) => requestId).join(', ')}`
    const expected = 'nothing held when everything is quiet'
    violations.push({ kind: 'hold left', atMs: endMs, accountId, what, expected })
  }
  for (const snapshot of history.snapshots.filter((one) => one.accountId === accountId)) {
    const { atMs, balance, held, entriesSum, holdsSum, lastSeq } = snapshot
    if (balance !== entriesSum) complain(`balance ${balance}`, `${entriesSum}, the sum`, atMs)
    if (held !== holdsSum) complain(`${held} held`, `${holdsSum}, the sum of the holds`, atMs)
    if (held > Math.max(0, balance) && !entries.slice(0, lastSeq).some(isForced)) {
      complain(`${held} of ${balance} held`, 'no more than there is', atMs)
    }
    if (snapshot.entries !== fingerprint(entries.slice(0, lastSeq))) {
      complain(`the first ${lastSeq} entries`, 'what they were before', atMs)
    }
  }
  return violations
}

/** Every charge has its line in the usage log, no call has two, and sums are those of the ledger. */
function checkLog({ history, charges, chargeOf, callOf }: Facts, endMs: number): Violation[] {
  const live = history.books.log.filter(({ environment }) => environment === 'live')
  const rows = Map.groupBy(live, ({ requestId }) => requestId)
  // A charge that was refunded because its call failed costs nothing in the log.
  const byHand = new Set(history.postings.map(({ id }) => id))
  const undone = new Set(
    history.books.entries
      .filter(({ kind, description }) => kind === 'refund' && !byHand.has(description))
      .map(({ ref }) => ref),
  )
  const costOf = ({ ref, credits }: Entry) => (undone.has(ref) ? 0 : -credits)
  const missing = charges.flatMap((entry): Violation[] => {
    const [row] = rows.get(entry.ref) ?? []
    if (row?.credits === costOf(entry) && row.accountId === entry.accountId) return []
    const { accountId, createdAtMs: atMs, ref } = entry
    const what = row ? `${ref} is logged with ${row.credits} credits` : `${ref} is not logged`
    const kind = row ? 'log differs' : 'log missing'
    return [{ kind, atMs, accountId, what, expected: `${costOf(entry)} credits in the log` }]
  })
  const wrong = [...rows.values()].flatMap(([row, again]): Violation[] => {
    if (!row) return []
    const { accountId, requestId, credits, status } = row
    const call = callOf(requestId)
    const what = `${requestId} is logged with status ${status} and ${credits} credits`
    const atMs = call?.endMs ?? endMs
    const complain = (expected: string): Violation[] => [
      { kind: 'log differs', atMs, accountId, what, expected },
    ]
    if (again) return complain('one line for each request')
    if (credits > 0 && !chargeOf(requestId)) return complain('no credits without a charge')
    // A call whose process died before it was logged is logged as its charge, by another process.
    const said = call?.answer?.status
    const isRight = !call || said === status || (said === 503 && status === 200)
    // The status is right, too, for a hold whose time was over.
    const isAbandoned = status === 503 && credits === 0 && said !== undefined && said >= 400
    return isRight || isAbandoned ? [] : complain(`the status of ${describeCall(call)}`)
  })
  const sums = history.books.summaries.flatMap(({ accountId, credits }): Violation[] => {
    const own = charges.filter((entry) => entry.accountId === accountId)
    const due = own.reduce((total, entry) => total + costOf(entry), 0)
    const what = `the usage summary has ${credits} credits`
    const expected = `${due}, as the ledger`
    return credits === due ? [] : [{ kind: 'log differs', atMs: endMs, accountId, what, expected }]
  })
  return [...missing, ...wrong, ...sums]
}
