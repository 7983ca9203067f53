import {
  type CostSlice,
  measureCost,
  measureProxy,
  type ProxySlice,
  queues,
  startSides,
  warmUp,
} from '../cost/call-cost.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { perSecond, type Target } from '../support/compare.ts'
import type { GatewayReady } from '../support/gateway.ts'
import { revealRequest, revealToolRequest } from '../support/reveal.ts'

export const cpu: Bench = {
  name: 'cpu',
  title: 'CPU per charged call of gateway and PostgreSQL, in multiples of a plain proxy',
  run: (context: BenchContext) => withCleanups((defer) => measureAll(context, defer)),
}

/** The number of paths that have goals; they come first. */
const pathsWithGoals = 2

interface Path {
  readonly name: string
  readonly target: Target
  /** The greatest multiples of the proxy's CPU; null without a goal. */
  readonly goals: { readonly gateway: number; readonly postgres: number } | null
}

async function measureAll(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const sides = await startSides(context, defer)
  const { gateway, proxied, proxyPid } = sides
  const paths = pathsOf(gateway.ready)
  for (const target of [proxied, ...paths.slice(0, pathsWithGoals).map((path) => path.target)]) {
    await warmUp(context, target)
  }
  const proxySlices: ProxySlice[] = []
  const slices = new Map<Path, CostSlice[]>(paths.map((path) => [path, []]))
  for (let round = 0; round < context.slices; round += 1) {
    for (const [index, [path, measured]] of [...slices].entries()) {
      // Beside each of the two that have goals.
      if (index < pathsWithGoals) {
        proxySlices.push(await measureProxy(context, proxyPid, proxied))
      }
      measured.push(await measureCost(context, sides, path.target))
    }
  }
  return [...slices].flatMap(([path, measured]) => rowsOf(path, measured, proxySlices))
}

function pathsOf(ready: GatewayReady): readonly Path[] {
  const { baseUrl: url, accounts } = ready
  const reveal = { url, ...revealRequest(ready) }
  const credits = (keys: readonly string[]) => ({
    ...{ url, method: 'GET' as const, path: '/v1/account/credits' },
    headerSets: keys.map((key) => ({ authorization: `Bearer ${key}` })),
  })
  const keys = accounts.map(({ liveKey }) => liveKey)
  return [
    { name: 'reveal', target: reveal, goals: { gateway: 2.5, postgres: 1.5 } },
    {
      name: 'reveal with a key',
      target: { ...reveal, hasFreshKeys: true },
      goals: { gateway: 3, postgres: 2.5 },
    },
    // 1.3 times the CPU of a reveal with a key, at most.
    {
      name: 'reveal as a tool',
      target: { url, ...revealToolRequest(ready), hasFreshKeys: true },
      goals: null,
    },
    { name: 'credits', target: credits(keys), goals: null },
    // The first few of each second are within the limit.
    {
      name: '429',
      target: { ...credits(keys.slice(0, 1)), status: 429, ignoredStatus: 200 },
      goals: null,
    },
    {
      name: '401',
      target: { ...credits(keys.map((key) => `${key.slice(0, -1)}-`)), status: 401 },
      goals: null,
    },
  ]
}

function rowsOf(
  { name, goals }: Path,
  slices: readonly CostSlice[],
  proxySlices: readonly ProxySlice[],
): readonly Row[] {
  const proxyUs = median(proxySlices.map((slice) => slice.proxyUs))
  const proxyPerSecond = median(proxySlices.map((slice) => slice.perSecond))
  const of = (
    figure:
      | 'gatewayUs'
      | 'postgresUs'
      | 'vacuumUs'
      | 'perSecond'
      | 'walBytes'
      | 'commits'
      | 'p50Ms',
  ) => median(slices.map((slice) => slice[figure]))
  const problems = slices.flatMap((slice) => slice.problems)
  const multiple = (what: string, us: number, goal: number | undefined): Row => ({
    bench: `CPU ${what}, ${name} / proxy`,
    goal: goal === undefined ? '–' : `≤ ${goal.toFixed(2)}`,
    ours: `${Math.round(us)} µs`,
    floor: `${proxyUs.toFixed(1)} µs`,
    value: (us / proxyUs).toFixed(2),
    isMet: goal === undefined ? null : us / proxyUs <= goal,
    problems,
    measured: { slices, proxySlices },
  })
  const context = (what: string, ours: string, rest: Partial<Row> = {}): Row => ({
    ...{ bench: `CPU ${what}, ${name}`, goal: '–', ours, floor: '–', value: '–', isMet: null },
    ...{ problems: [], measured: null, ...rest },
  })
  const batches = queues.map((queue) => {
    const sizes = slices
      .map((slice) => slice.batches[queue] ?? null)
      .filter((size) => size !== null)
    return sizes.length === 0 ? '–' : median(sizes).toFixed(1)
  })
  return [
    multiple('gateway', of('gatewayUs'), goals?.gateway),
    multiple('PostgreSQL', of('postgresUs'), goals?.postgres),
    context('calls', perSecond(of('perSecond')), {
      floor: perSecond(proxyPerSecond),
      value: (of('perSecond') / proxyPerSecond).toFixed(2),
    }),
    ...(goals === null
      ? []
      : [
          context('autovacuum, in PostgreSQL', `${Math.round(of('vacuumUs'))} µs`),
          context('p50', `${of('p50Ms').toFixed(1)} ms`),
          context('WAL a call', `${Math.round(of('walBytes'))} B`),
          context('commits a call', of('commits').toFixed(2)),
          context(`mean batches of ${queues.join(', ')}`, batches.join(', ')),
        ]),
  ]
}
