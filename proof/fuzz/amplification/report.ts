import type { AmplificationReport, Amplified } from './run.ts'

const shown = 15

/** The cases that give the most bytes for those they send, and those that take the longest. */
export function describeAmplification({ all }: AmplificationReport): string {
  const ratio = ({ cost }: Amplified) => cost.bytesOut / Math.max(cost.bytesIn, 1)
  const withBody = all.filter(({ cost }) => cost.bytesIn > 1000)
  return [
    'most bytes out:',
    ...first(all, ({ cost }) => cost.bytesOut).map(lineOf),
    'most bytes out for bytes in:',
    ...first(withBody, ratio).map(lineOf),
    'most of the event loop:',
    ...first(all, ({ cost }) => cost.loopMs).map(lineOf),
    'nearest to its limit of time:',
    ...first(all, ({ cost, limitMs }) => cost.loopMs / limitMs).map(lineOf),
  ].join('\n')
}

function first(all: readonly Amplified[], of: (one: Amplified) => number): Amplified[] {
  return all.toSorted((one, other) => of(other) - of(one)).slice(0, shown)
}

function lineOf({ operation, name, cost, limitMs }: Amplified): string {
  const { status, bytesIn, bytesOut, loopMs } = cost
  const time = `${loopMs.toFixed(1)} of ${limitMs.toFixed(1)} ms`
  return `  ${status}  ${bytesIn} → ${bytesOut} bytes  ${time}  ${operation}, ${name}`
}
