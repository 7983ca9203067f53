import { describeEntry, type Facts } from './facts.ts'
import type { Entry, Posting } from './history.ts'
import type { Violation } from './violation.ts'

/** Whatever an administrator entered is there once, and credits end when and as their grants say. */
export function checkPostings(facts: Facts): Violation[] {
  const { history } = facts
  const entries = history.books.entries.filter(({ environment }) => environment === 'live')
  const byDescription = Map.groupBy(entries, ({ accountId, description }) => {
    return `${accountId} ${description}`
  })
  return [
    ...history.postings.flatMap((posting) =>
      checkPosting(posting, byDescription.get(`${posting.accountId} ${posting.id}`) ?? []),
    ),
    ...history.accounts.flatMap(({ accountId }) => {
      const own = entries.filter((entry) => entry.accountId === accountId)
      return checkExpiries(
        own.toSorted((a, b) => a.seq - b.seq),
        facts,
      )
    }),
  ]
}

function checkPosting(posting: Posting, found: readonly Entry[]): Violation[] {
  const { id, accountId, kind, credits, endMs, outcome } = posting
  const what = `${kind} ${id} of ${credits}: ${outcome}`
  const complain = (violation: Violation['kind'], expected: string): Violation[] => [
    { kind: violation, atMs: endMs, accountId, what, expected },
  ]
  const [entry, again] = found
  if (again) return complain('doubled posting', `one entry, not also ${describeEntry(again)}`)
  if (!entry) return outcome === 'done' ? complain('lost posting', 'an entry in the ledger') : []
  if (outcome === 'refused') return complain('wrong amount', 'no entry: it was refused')
  const isSame = entry.kind === kind && entry.credits === credits
  return isSame ? [] : complain('wrong amount', `${kind} ${credits}, not ${describeEntry(entry)}`)
}

interface Grant {
  readonly seq: number
  readonly priority: number
  readonly expiresAtMs: number
  remaining: number
}

/** A refund whose grants have ended meanwhile is good for this long, and burns as usual. */
const refundMs = 30 * 86_400_000
const usualPriority = 50

/** Burns the grants in the order of the ledger, and compares every expiry with what is left of them. */
function checkExpiries(entries: readonly Entry[], { history }: Facts): Violation[] {
  const postings = new Map(history.postings.map((posting) => [posting.id, posting]))
  const allowances = new Map(
    history.books.allowances.map((one) => [`${one.accountId} ${one.seq}`, one.expiresAtMs]),
  )
  const paidBy = new Map<string, readonly Part[]>()
  const violations: Violation[] = []
  let grants: Grant[] = []
  const add = (grant: Grant) => {
    grants = [...grants, grant].toSorted(
      (a, b) => a.priority - b.priority || a.expiresAtMs - b.expiresAtMs || a.seq - b.seq,
    )
  }
  for (const entry of entries) {
    const { accountId, seq, credits, balanceAfter, createdAtMs } = entry
    const posting = postings.get(entry.description)
    if (posting && posting.expiresAtMs !== null) {
      const { expiresAtMs, priority } = posting
      add({ seq, priority, expiresAtMs, remaining: credits })
    }
    const periodEndMs = allowances.get(`${accountId} ${seq}`)
    if (entry.kind === 'allowance' && periodEndMs !== undefined) {
      add({ seq, priority: usualPriority, expiresAtMs: periodEndMs, remaining: credits })
    }
    if (entry.kind === 'refund') {
      const remaining = refundParts(paidBy.get(entry.ref) ?? [], createdAtMs)
      const expiresAtMs = createdAtMs + refundMs
      if (remaining > 0) add({ seq, priority: usualPriority, expiresAtMs, remaining })
    }
    if (credits >= 0) {
      // A debt is paid first.
      take(grants, Math.min(credits, Math.max(0, credits - balanceAfter)))
      continue
    }
    const isExpiry = entry.kind === 'expiry'
    const burning = isExpiry ? grants.filter((grant) => grant.expiresAtMs <= createdAtMs) : grants
    const parts = take(burning, -credits)
    if (entry.kind === 'charge') paidBy.set(entry.ref, parts)
    const left = -credits - parts.reduce((sum, part) => sum + part.credits, 0)
    if (!isExpiry || left === 0) continue
    const expected = `at most ${-credits - left}: no more of the grants that had ended was left`
    const what = describeEntry(entry)
    violations.push({ kind: 'wrong expiry', atMs: createdAtMs, accountId, what, expected })
  }
  const last = entries.at(-1)
  for (const { seq, remaining, expiresAtMs } of grants) {
    if (!last || remaining === 0 || expiresAtMs > history.quietMs) continue
    const { accountId } = last
    const what = `the grant of entry ${seq} has ${remaining} credits left`
    const expected = 'an expiry: it had ended, and nothing was held'
    violations.push({ kind: 'wrong expiry', atMs: expiresAtMs, accountId, what, expected })
  }
  return violations
}

interface Part {
  readonly grant: Grant
  readonly credits: number
}

/** Takes credits from grants in their order; returns what each of them gave. */
function take(grants: readonly Grant[], amount: number): readonly Part[] {
  let left = amount
  return grants.map((grant) => {
    const credits = Math.min(left, grant.remaining)
    grant.remaining -= credits
    left -= credits
    return { grant, credits }
  })
}

/** Refunds a charge to the grants that paid for it; returns what those gave that have ended. */
function refundParts(parts: readonly Part[], atMs: number): number {
  let ended = 0
  for (const { grant, credits } of parts) {
    if (grant.expiresAtMs > atMs) grant.remaining += credits
    else ended += credits
  }
  return ended
}
