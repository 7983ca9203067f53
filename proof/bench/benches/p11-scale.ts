import { setTimeout as sleep } from 'node:timers/promises'
import { cpuUsOf } from '../machine/cpu-time.ts'
import { type DatabaseProbe, openDatabaseProbe } from '../machine/database-probe.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import type { Child } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { alternate, problemsOf, type Target } from '../support/compare.ts'
import { type GatewayReady, startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import { type Load, type LoadResult, type RunLoad, startLoadGenerator } from '../support/load.ts'
import { revealRequest } from '../support/reveal.ts'

export const p11: Bench = {
  name: 'p11',
  title: 'CPU of two gateways against one; a caller beside another that sends ten times its limit',
  run: (context: BenchContext) => withCleanups((defer) => contest(context, defer)),
}

/** CPU of a charged call, PostgreSQL included, of two gateways at half the rate each, in multiples of one. */
const maxCost = 1.15
const maxNoise = 1.5
const connections = 32
const seconds = 4
/** Code that is not compiled yet takes several times as long. */
const warmUpCalls = 15_000
/** A call writes some of its data a moment later, and that work is part of its cost. */
const aftermathMs = 400
const accountCount = 200
/** The limit of the highest tier and subscription, in a second. */
const limit = 100

async function contest(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const backend = await startServerChild('backend')
  defer(() => backend.stop())
  // This process serves no requests: it owns the database, as a separate server would.
  const database = await startGatewayChild({ accounts: 0 })
  defer(() => database.stop())
  const variables = {
    DATABASE_URL: database.ready.workerUrl,
    MIGRATE_DATABASE_URL: database.ready.ownerUrl,
    GATEWAY_SECRET: database.ready.gatewaySecret,
    PAYMENTS: 'simulated',
    BACKEND_CONTACT_FINDER_URL: backend.ready.url,
  }
  const one = await startGatewayChild({ accounts: accountCount, variables }, context.gatewayFlags)
  defer(() => one.stop())
  const two = await startGatewayChild({ accounts: 0, variables }, context.gatewayFlags)
  defer(() => two.stop())
  const probe = await openDatabaseProbe(database.ready.ownerUrl)
  defer(() => probe.close())
  const beside = await startLoadGenerator()
  defer(() => beside.stop())
  const { accounts } = one.ready
  const load = loadOf(accounts.slice(1))
  const [noisy] = accounts
  const noise = { ...loadOf(noisy ? [noisy] : []), perSecond: 10 * limit }
  return [
    await scale(context, {
      one,
      two,
      probe,
      beside: beside.run,
      request: revealRequest(one.ready),
    }),
    await isolation(context, one, { load: { ...load, perSecond: 500 }, noise, beside: beside.run }),
  ]
}

type UnsentLoad = Omit<Load, 'url'>

function loadOf(accounts: GatewayReady['accounts']): UnsentLoad {
  const headerSets = accounts.map(({ liveKey }) => ({ authorization: `Bearer ${liveKey}` }))
  return { method: 'GET', path: '/v1/account/credits', headerSets, connections, seconds }
}

interface Scaling {
  readonly one: Child<GatewayReady>
  readonly two: Child<GatewayReady>
  readonly probe: DatabaseProbe
  readonly beside: RunLoad
  readonly request: Omit<Target, 'url'>
}

interface Slice {
  readonly cpuUs: number
  readonly problems: readonly string[]
}

/** At half of what one gateway can serve. */
async function scale({ slices, runLoad }: BenchContext, scaling: Scaling): Promise<Row> {
  const { one, two, probe, beside, request } = scaling
  const on = ({ ready }: Child<GatewayReady>) => ({ ...request, url: ready.baseUrl, connections })
  let rate = 0
  for (const gateway of [two, one]) {
    for (let calls = 0; calls < warmUpCalls; ) {
      const { countByStatus } = await runLoad({ ...on(gateway), seconds })
      const served = countByStatus[200] ?? 0
      if (served === 0) throw new Error(`No call was served: ${JSON.stringify(countByStatus)}`)
      calls += served
      rate = Math.round(served / seconds / 2)
    }
  }

  async function cpuOf(
    gateways: readonly Child<GatewayReady>[],
    work: () => Promise<readonly LoadResult[]>,
  ): Promise<Slice> {
    const used = async () =>
      gateways.reduce((sum, { pid }) => sum + cpuUsOf(pid), (await probe.read()).cpuUs)
    const before = await used()
    const results = await work()
    await sleep(aftermathMs)
    const calls = results.reduce((sum, { countByStatus }) => sum + (countByStatus[200] ?? 0), 0)
    const problems = results.flatMap((result) => problemsOf(result, ['200']))
    return { cpuUs: ((await used()) - before) / calls, problems }
  }

  const half = { perSecond: Math.round(rate / 2), seconds }
  const measured = await alternate(
    slices,
    () =>
      cpuOf([one, two], () =>
        Promise.all([runLoad({ ...on(one), ...half }), beside({ ...on(two), ...half })]),
      ),
    async () => {
      // Otherwise its idle work in PostgreSQL would count as the other's.
      process.kill(two.pid, 'SIGSTOP')
      try {
        return await cpuOf([one], async () => [
          await runLoad({ ...on(one), perSecond: rate, seconds }),
        ])
      } finally {
        process.kill(two.pid, 'SIGCONT')
      }
    },
  )
  const cost = (side: readonly Slice[]) => median(side.map(({ cpuUs }) => cpuUs))
  const ratio = cost(measured.ours) / cost(measured.other)
  return {
    bench: `P11 CPU of a charged call, two gateways / one, ${rate}/s`,
    goal: `≤ ${maxCost.toFixed(2)}`,
    ours: `${Math.round(cost(measured.ours))} µs`,
    floor: `${Math.round(cost(measured.other))} µs`,
    value: ratio.toFixed(2),
    isMet: ratio <= maxCost,
    problems: [...measured.ours, ...measured.other].flatMap(({ problems }) => problems),
    measured,
  }
}

interface Isolation {
  readonly load: UnsentLoad
  readonly noise: UnsentLoad
  readonly beside: RunLoad
}

async function isolation(
  { slices, runLoad }: BenchContext,
  gateway: Child<GatewayReady>,
  { load, noise, beside }: Isolation,
): Promise<Row> {
  const url = gateway.ready.baseUrl
  const measured = await alternate(
    slices,
    async () => {
      const [quiet] = await Promise.all([runLoad({ ...load, url }), beside({ ...noise, url })])
      return quiet.p99Ms
    },
    async () => (await runLoad({ ...load, url })).p99Ms,
  )
  const ratio = median(measured.ours) / median(measured.other)
  return {
    bench: 'P11 p99 beside a noisy account / alone',
    goal: `≤ ${maxNoise.toFixed(2)}`,
    ours: `${median(measured.ours).toFixed(1)} ms`,
    floor: `${median(measured.other).toFixed(1)} ms`,
    value: ratio.toFixed(2),
    isMet: ratio <= maxNoise,
    problems: [],
    measured,
  }
}
