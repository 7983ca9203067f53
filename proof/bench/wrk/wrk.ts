import { startProviders } from '../benches/p7-tokens.ts'
import { startRefusals } from '../benches/p8-refusals.ts'
import { connections, startSides, warmUp } from '../cost/call-cost.ts'
import { runWrk, whyNoWrk } from '../generator/wrk.ts'
import type { Bench, BenchContext, Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { compare, type Target } from '../support/compare.ts'
import { startServerChild } from '../support/http-server.ts'
import { exchanges } from '../support/provider.ts'
import { type ChargedWay, halfLoadRow, measureHalfLoad, measureWays, rowsOfWay } from './charged.ts'

export const wrk: Bench = {
  name: 'wrk',
  title: 'Charged calls, refusals and code exchange under the load of wrk, on 32 connections',
  isLong: true,
  run,
}

const ways: readonly ChargedWay[] = [
  {
    name: 'reveal',
    hasFreshKeys: false,
    goals: { gateway: 2, postgres: 1.4, share: 0.35, allocatedBytes: 36_000 },
  },
  {
    name: 'reveal with a key',
    hasFreshKeys: true,
    goals: { gateway: 3, postgres: 2.2, share: 0.25, allocatedBytes: null },
  },
]

async function run(context: BenchContext): Promise<readonly Row[]> {
  const reason = whyNoWrk()
  if (reason !== null) {
    // The other benches of the run still have their rows.
    process.exitCode = 1
    return [absent(reason)]
  }
  const withWrk = { ...context, runLoad: runWrk }
  return [
    ...(await withCleanups((defer) => charged(context, withWrk, defer))),
    ...(await withCleanups((defer) => refused(withWrk, defer))),
    ...(await withCleanups((defer) => exchanged(withWrk, defer))),
  ]
}

/** wrk has no steady rate, so half of its load is sent by our own generator. */
async function charged(
  context: BenchContext,
  withWrk: BenchContext,
  defer: Defer,
): Promise<readonly Row[]> {
  const sides = await startSides(context, defer)
  await warmUp(withWrk, sides.proxied)
  for (const { hasFreshKeys } of ways) await warmUp(withWrk, { ...sides.reveal, hasFreshKeys })
  const measured = await measureWays(withWrk, sides, ways)
  const halves = await measureHalfLoad(context, sides, measured)
  return [...measured.ways.flatMap((way) => rowsOfWay(way, measured.proxy)), halfLoadRow(halves)]
}

async function refused(withWrk: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const { limited, malformed } = await startRefusals(withWrk, defer)
  return [
    await compare(withWrk, {
      bench: 'WRK 429 / bare Express with this answer',
      minRatio: 0.5,
      connections,
      ours: limited,
      floor: await startSameAnswer(limited, defer),
    }),
    await compare(withWrk, {
      bench: 'WRK 401 / bare Express with this answer',
      minRatio: 0.7,
      connections,
      ours: malformed,
      floor: await startSameAnswer(malformed, defer),
    }),
  ]
}

const mostTries = 1000

/** Express that always answers what the gateway does, with the same status. */
async function startSameAnswer(target: Target, defer: Defer): Promise<Target> {
  const { method, path, headerSets, status } = target
  for (let tries = 0; tries < mostTries; tries += 1) {
    const answer = await fetch(`${target.url}${path}`, { method, headers: headerSets[0] })
    const body: unknown = await answer.json()
    if (answer.status !== status) continue
    const floor = await startServerChild('bare-express', { status, body })
    defer(() => floor.stop())
    return { url: floor.ready.url, method, path, headerSets, status }
  }
  throw new Error(`The gateway never answers ${status}.`)
}

async function exchanged(withWrk: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const { ours, floor } = await startProviders(withWrk, defer)
  return [
    await compare(withWrk, {
      bench: 'WRK code exchange / oidc-provider',
      minRatio: 0.8,
      connections,
      ours: await exchanges(ours),
      floor: await exchanges(floor),
    }),
  ]
}

function absent(reason: string): Row {
  const nothing = { ours: '–', floor: '–', value: '–', isMet: null, measured: null }
  return { bench: 'WRK', goal: '–', ...nothing, problems: [reason] }
}
