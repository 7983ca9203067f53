import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import type { Child } from '../support/child.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { alternate, perSecond } from '../support/compare.ts'
import { type GatewayReady, startGatewayChild } from '../support/gateway.ts'
import { type Load, type LoadResult, type RunLoad, startLoadGenerator } from '../support/load.ts'

export const p11: Bench = {
  name: 'p11',
  title: 'Two gateways against one; a caller beside one who sends ten times what he may',
  run: (context: BenchContext) => withCleanups((defer) => contest(context, defer)),
}

const minScale = 1.6
const maxNoise = 1.5
const connections = 32
const seconds = 4
const accountCount = 200
/** Of the highest tier and subscription, in a second. */
const limit = 100
const secret = 'a secret for benchmarks, long enough to pass'

async function contest(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  // It serves no requests: it owns the database, as a separate server would.
  const database = await startGatewayChild({ accounts: 0 })
  defer(() => database.stop())
  const variables = {
    DATABASE_URL: database.ready.serviceUrl,
    MIGRATE_DATABASE_URL: database.ready.ownerUrl,
    GATEWAY_SECRET: secret,
    PAYMENTS: 'simulated',
  }
  const one = await startGatewayChild({ accounts: accountCount, variables }, context.gatewayFlags)
  defer(() => one.stop())
  const two = await startGatewayChild({ accounts: 0, variables }, context.gatewayFlags)
  defer(() => two.stop())
  const beside = await startLoadGenerator()
  defer(() => beside.stop())
  const { accounts } = one.ready
  const load = loadOf(accounts.slice(1))
  const [noisy] = accounts
  const noise = { ...loadOf(noisy ? [noisy] : []), perSecond: 10 * limit }
  return [
    await scale(context, [one, two], { load, beside: beside.run }),
    await isolation(context, one, { load: { ...load, perSecond: 500 }, noise, beside: beside.run }),
  ]
}

type UnsentLoad = Omit<Load, 'url'>

function loadOf(accounts: GatewayReady['accounts']): UnsentLoad {
  const headerSets = accounts.map(({ liveKey }) => ({ authorization: `Bearer ${liveKey}` }))
  return { method: 'GET', path: '/v1/account/credits', headerSets, connections, seconds }
}

interface Scaling {
  readonly load: UnsentLoad
  readonly beside: RunLoad
}

async function scale(
  { slices, runLoad }: BenchContext,
  [one, two]: readonly [Child<GatewayReady>, Child<GatewayReady>],
  { load, beside }: Scaling,
): Promise<Row> {
  const rate = ({ countByStatus, seconds }: LoadResult) => (countByStatus[200] ?? 0) / seconds
  const measured = await alternate(
    slices,
    async () => {
      const both = await Promise.all([
        runLoad({ ...load, url: one.ready.baseUrl }),
        beside({ ...load, url: two.ready.baseUrl }),
      ])
      return both.reduce((sum, result) => sum + rate(result), 0)
    },
    async () => rate(await runLoad({ ...load, url: one.ready.baseUrl })),
  )
  const ratio = median(measured.ours) / median(measured.other)
  return {
    bench: 'P11 two gateways / one',
    goal: `≥ ${minScale.toFixed(2)}`,
    ours: perSecond(median(measured.ours)),
    floor: perSecond(median(measured.other)),
    value: ratio.toFixed(2),
    isMet: ratio >= minScale,
    problems: [],
    measured,
  }
}

interface Isolation extends Scaling {
  readonly noise: UnsentLoad
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
