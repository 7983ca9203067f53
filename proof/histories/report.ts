import { describeCall, describeEntry } from './model/facts.ts'
import type { History } from './model/history.ts'
import type { Violation } from './model/violation.ts'
import type { Plan } from './plan/plan.ts'

/** One line about what a seed did. */
export function describeHistory({ seed, faults }: Plan, history: History): string {
  const { calls, reads, postings, purchases, moneyBack, rotations, outages, books } = history
  const counts = new Map<string, number>()
  for (const { answer } of calls) {
    const name = answer ? `${answer.status}${answer.isReplay ? ' replayed' : ''}` : 'no answer'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const answers = [...counts].map(([name, count]) => `${count} × ${name}`).toSorted()
  const entriesOf = (wanted: string) => books.entries.filter(({ kind }) => kind === wanted).length
  const changesOfPlan = books.payments.filter(
    ({ kind, status }) => kind === 'plan' && status === 'paid',
  ).length
  const overBudget = calls.filter(({ answer }) => answer?.code === 'BUDGET_EXCEEDED').length
  return (
    `seed ${seed}: ${calls.length} calls (${answers.join(', ')}), ${reads.length} reads, ` +
    `${postings.length} postings, ${purchases.length} purchases (${changesOfPlan} of a higher plan, ${moneyBack.length} with money back), ` +
    `${entriesOf('allowance')} renewals, ${rotations.length} rotations, ${overBudget} × over budget, ` +
    `${faults.length} faults (${outages.length} kills), ${entriesOf('charge')} charges`
  )
}

const contextMs = 1500
const mostLines = 40

/** The first event that the model can't explain, what it expected, and what happened around it. */
export function describeUnexplained(
  { seed, faults }: Plan,
  history: History,
  violations: readonly Violation[],
): string {
  const [first] = violations
  if (!first) return ''
  const beganMs = Math.min(...history.calls.map(({ startMs }) => startMs))
  const at = (ms: number) => `${((ms - beganMs) / 1000).toFixed(3)} s`
  const isNear = (startMs: number, endMs = startMs) =>
    startMs <= first.atMs + contextMs && endMs >= first.atMs - contextMs
  const isOwn = ({ accountId }: { readonly accountId: string }) => accountId === first.accountId
  const lines = [
    ...history.calls
      .filter((call) => isOwn(call) && isNear(call.startMs, call.endMs))
      .map((call) => ({ ms: call.startMs, text: `… ${at(call.endMs)} ${describeCall(call)}` })),
    ...history.reads
      .filter((read) => isOwn(read) && isNear(read.startMs, read.endMs))
      .map(({ startMs, endMs, id, shown }) => ({
        ms: startMs,
        text: `… ${at(endMs)} read ${id}: ${JSON.stringify(shown)}`,
      })),
    ...history.books.entries
      .filter((entry) => isOwn(entry) && isNear(entry.createdAtMs))
      .map((entry) => ({ ms: entry.createdAtMs, text: describeEntry(entry) })),
    ...faults
      .filter(({ atMs, lastsMs }) => isNear(beganMs + atMs, beganMs + atMs + lastsMs))
      .map(({ atMs, ...fault }) => ({ ms: beganMs + atMs, text: JSON.stringify(fault) })),
  ].toSorted((a, b) => Math.abs(a.ms - first.atMs) - Math.abs(b.ms - first.atMs))
  const shown = lines.slice(0, mostLines).toSorted((a, b) => a.ms - b.ms)
  const kinds = Map.groupBy(violations, ({ kind }) => kind)
  return [
    `seed ${seed}: ${first.kind} at ${at(first.atMs)}, account ${first.accountId}`,
    `  ${first.what}`,
    `  expected: ${first.expected}`,
    `  around it, as far as the account and the faults go:`,
    ...shown.map(({ ms, text }) => `    ${at(ms)} ${text}`),
    '  the first of each kind:',
    ...[...kinds].map(([kind, [one, ...others]]) => {
      const more = others.length > 0 ? ` (and ${others.length} more)` : ''
      return `    ${kind}${more}: ${one?.what}; expected: ${one?.expected}`
    }),
  ].join('\n')
}
