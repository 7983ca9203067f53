import { z } from 'zod'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Child, startChild } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { alternate } from '../support/compare.ts'

export const p5: Bench = {
  name: 'p5',
  title: 'A persisted operation in process, without a database, against graphql-js',
  run,
}

const maxRatio = 1.5
const warmUpRounds = 5000
const rounds = 20_000
const cost = z.object({ microseconds: z.number() })

function run({ slices }: BenchContext): Promise<readonly Row[]> {
  return withCleanups((defer) => contest(slices, defer))
}

async function contest(slices: number, defer: Defer): Promise<readonly Row[]> {
  const child = await startChild({ role: 'operations', ready: z.unknown() })
  defer(() => child.stop())
  return [
    ...(await measure(child, slices, { document: 'one', maxMicroseconds: 100 })),
    ...(await measure(child, slices, { document: 'three', maxMicroseconds: 200 })),
  ]
}

interface Subject {
  readonly document: 'one' | 'three'
  readonly maxMicroseconds: number
}

async function measure(
  child: Child<unknown>,
  slices: number,
  { document, maxMicroseconds }: Subject,
): Promise<readonly Row[]> {
  const run = (how: 'federated' | 'merged') => async () => {
    await child.ask({ how, document, rounds: warmUpRounds }, cost)
    return (await child.ask({ how, document, rounds }, cost)).microseconds
  }
  const measured = await alternate(slices, run('federated'), run('merged'))
  const ours = median(measured.ours)
  const floor = median(measured.other)
  const subject = `P5 ${document} subgraph${document === 'one' ? '' : 's'}`
  const both = { ours: micro(ours), floor: micro(floor), problems: [], measured }
  return [
    {
      ...both,
      bench: subject,
      goal: `≤ ${micro(maxMicroseconds)}`,
      value: micro(ours),
      isMet: ours <= maxMicroseconds,
    },
    {
      ...both,
      bench: `${subject} / graphql-js, merged`,
      goal: `≤ ${maxRatio.toFixed(2)}`,
      value: (ours / floor).toFixed(2),
      isMet: ours / floor <= maxRatio,
    },
  ]
}

function micro(microseconds: number): string {
  return `${microseconds.toFixed(0)} µs`
}
