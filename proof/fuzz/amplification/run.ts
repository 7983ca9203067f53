import fc from 'fast-check'
import type { TestGateway } from '../../../test/support/gateway/gateway.ts'
import { openWorld } from '../world.ts'
import { type Asked, type OperationCases, readOperationCases } from './asked.ts'
import { type Cost, costOf, leastMs, openControl, parseMs } from './cost.ts'
import { isRefusal, judgeBytes, limitMs } from './judge.ts'

export interface AmplificationOptions {
  /** At most so many. Operations take turns, and the seed chooses. */
  readonly cases: number
  readonly seed: number
  /** The bytes of a body. */
  readonly bytes: number
  /** Only this operation, such as `quoteCalls` or `graphql accounts`. */
  readonly only?: string
  /** Whether time is judged too: it cannot be where other tests share the processor. */
  readonly isTimed: boolean
  readonly onFailure?: (failure: string) => void
  readonly onProgress?: (done: number) => void
}

/** A case, and what it has cost. */
export interface Amplified {
  readonly operation: string
  readonly name: string
  readonly cost: Cost
  readonly limitMs: number
}

export interface AmplificationReport {
  readonly failures: readonly string[]
  readonly all: readonly Amplified[]
}

const progressEvery = 500

/** Sends requests that are large somewhere, and judges what comes out for what goes in. */
export async function runAmplification(
  gateway: TestGateway,
  options: AmplificationOptions,
): Promise<AmplificationReport> {
  const { cases, seed, only, onFailure, onProgress } = options
  const world = await openWorld(gateway)
  const control = await openControl()
  const failures: string[] = []
  const all: Amplified[] = []
  const fail = (failure: string) => {
    failures.push(failure)
    onFailure?.(failure)
  }
  try {
    const operations = await readOperationCases(gateway, world, options)
    const chosen = operations.filter(({ id }) => only === undefined || only === id)
    const slowest = new Map<string, Promise<number>>()
    for (const { of, make } of inTurns(chosen, seed)) {
      if (all.length === cases) break
      const validMs = () => {
        const found = slowest.get(of.id) ?? slowestValid(of)
        slowest.set(of.id, found)
        return found
      }
      const { problems, amplified } = await tryCase(make(), { validMs, control, options })
      for (const problem of problems) fail(`${amplified.operation}, ${amplified.name}: ${problem}`)
      all.push(amplified)
      if (all.length % progressEvery === 0) onProgress?.(all.length)
    }
  } finally {
    await control.close()
    await world.close()
  }
  return { failures, all }
}

/** A case of each operation, then another of each, in an order of the seed. */
function* inTurns(operations: readonly OperationCases[], seed: number) {
  const shuffled = operations.map((of, index) => ({
    of,
    cases: shuffle(of.amplified, seed + index),
  }))
  const most = Math.max(0, ...shuffled.map(({ cases }) => cases.length))
  for (let turn = 0; turn < most; turn += 1) {
    for (const { of, cases } of shuffled) {
      const make = cases[turn]
      if (make) yield { of, make }
    }
  }
}

function shuffle<T>(all: readonly T[], seed: number): readonly T[] {
  const whole = { minLength: all.length, maxLength: all.length }
  return fc.sample(fc.shuffledSubarray([...all], whole), { seed, numRuns: 1 })[0] ?? []
}

/** The time of the slowest of some valid requests that the operation accepts. */
async function slowestValid({ valid }: OperationCases): Promise<number> {
  let slowest = 0
  for (const make of valid) {
    const { body, ask } = make()
    const { status, loopMs } = await costOf(body, ask)
    if (!isRefusal(status)) slowest = Math.max(slowest, loopMs)
  }
  return slowest
}

interface Bench {
  readonly validMs: () => Promise<number>
  readonly control: Awaited<ReturnType<typeof openControl>>
  readonly options: AmplificationOptions
}

async function tryCase(asked: Asked, { validMs, control, options: { isTimed } }: Bench) {
  const { operation, name, body, ask } = asked
  const cost = await costOf(body, ask)
  const problems = judgeBytes(operation, cost)
  let limit = limitMs(cost, 0, 0)
  let { loopMs } = cost
  // What it may cost is measured only where that matters: it takes longer than the case.
  if (isTimed && loopMs > limit) {
    limit = limitMs(cost, parseMs(body), isRefusal(cost.status) ? 0 : await validMs())
    if (loopMs > limit) loopMs = await repeatedMs(asked, { control, limit })
  }
  if (isTimed && loopMs > limit) {
    const [took, allowed] = [loopMs, limit].map((ms) => ms.toFixed(1))
    problems.push(`${cost.status} takes ${took} ms, ${allowed} are allowed`)
  }
  return { problems, amplified: { operation, name, cost: { ...cost, loopMs }, limitMs: limit } }
}

/** The least of many attempts; what sending the bytes costs on any server is not the gateway's. */
async function repeatedMs(
  { body, ask }: Asked,
  { control, limit }: { readonly control: Bench['control']; readonly limit: number },
): Promise<number> {
  const sendingMs = await leastMs(() => control.send(body), { batches: 3 })
  return (await leastMs(ask, { enoughMs: limit + sendingMs })) - sendingMs
}
