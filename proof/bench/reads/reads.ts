import { withSession } from '../machine/sessions.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type Defer, withCleanups } from '../support/cleanups.ts'
import { alternate, problemsOf } from '../support/compare.ts'
import { type GatewayReady, startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import { type Load, type LoadResult, startLoadGenerator } from '../support/load.ts'
import { revealRequest } from '../support/reveal.ts'

/** What one account may do to the others within its rate limit, without a single product call. */
export const reads: Bench = {
  name: 'reads',
  title: 'p99 of charged calls beside an account that only sends requests that cost nothing',
  run: (context: BenchContext) => withCleanups((defer) => contest(context, defer)),
}

const maxRatio = 3
const seconds = 30
const connections = 64
const othersPerSecond = 100
const days = 31
const endpoints = 50
const latencyClasses = 8
const wrongMembers = 18_000

interface Attack {
  readonly name: string
  readonly noise: Pick<Load, 'method' | 'path' | 'body' | 'perSecond'>
  readonly statuses: readonly string[]
}

const wrongMetadata = Object.fromEntries(
  Array.from({ length: wrongMembers }, (_, index) => [`k${index}`, 1]),
)

const attacks: readonly Attack[] = [
  {
    name: 'a month by hour and service, 24/s',
    noise: { ...{ method: 'GET', path: summaryPath() }, perSecond: 24 },
    statuses: ['200', '429'],
  },
  {
    name: `${wrongMembers} wrong members of metadata, 9/s`,
    noise: {
      ...{ method: 'POST', path: '/v1/account/keys', perSecond: 9 },
      body: JSON.stringify({ name: 'x', metadata: wrongMetadata }),
    },
    statuses: ['422', '429'],
  },
]

async function contest(context: BenchContext, defer: Defer): Promise<readonly Row[]> {
  const backend = await startServerChild('backend')
  defer(() => backend.stop())
  const variables = { BACKEND_CONTACT_FINDER_URL: backend.ready.url }
  const gateway = await startGatewayChild({ accounts: 100, variables }, context.gatewayFlags)
  defer(() => gateway.stop())
  const beside = await startLoadGenerator()
  defer(() => beside.stop())
  const { baseUrl: url, accounts } = gateway.ready
  const [attacker, ...rest] = accounts
  if (!attacker) throw new Error('There are no accounts.')
  await plantUsage(gateway.ready, attacker.id)
  const timing = { url, connections, seconds }
  const others = { ...timing, ...revealRequest({ accounts: rest }), perSecond: othersPerSecond }
  await context.runLoad(others)
  const rows: Row[] = []
  for (const attack of attacks) {
    const headers = {
      authorization: `Bearer ${attacker.liveKey}`,
      'content-type': 'application/json',
    }
    const noise = { ...timing, ...attack.noise, headerSets: [headers] }
    rows.push(await compare(context, attack, { others, besides: () => beside.run(noise) }))
  }
  return rows
}

interface Sides {
  readonly others: Load
  readonly besides: () => Promise<LoadResult>
}

async function compare(
  { runLoad, slices }: BenchContext,
  { name, statuses }: Attack,
  { others, besides }: Sides,
): Promise<Row> {
  const noises: LoadResult[] = []
  const measured = await alternate(
    slices,
    async () => {
      const [quiet, noisy] = await Promise.all([runLoad(others), besides()])
      noises.push(noisy)
      return quiet
    },
    () => runLoad(others),
  )
  const p99Ms = (results: readonly LoadResult[]) => median(results.map((result) => result.p99Ms))
  const ratio = p99Ms(measured.ours) / p99Ms(measured.other)
  return {
    bench: `READS p99 of charged calls beside ${name} / alone`,
    goal: `≤ ${maxRatio.toFixed(2)}`,
    ours: `${p99Ms(measured.ours).toFixed(1)} ms`,
    floor: `${p99Ms(measured.other).toFixed(1)} ms`,
    value: ratio.toFixed(2),
    isMet: ratio <= maxRatio,
    problems: [
      ...measured.ours.flatMap((result) => problemsOf(result, ['200'])),
      ...noises.flatMap((result) => problemsOf(result, statuses)),
    ],
    measured: { ...measured, noises },
  }
}

function summaryPath(): string {
  const hourMs = 3_600_000
  const to = new Date(Math.ceil(Date.now() / hourMs) * hourMs)
  const from = new Date(to.getTime() - days * 24 * hourMs)
  const span = `from=${from.toISOString()}&to=${to.toISOString()}`
  return `/v1/account/usage/summary?interval=hour&group_by=service&${span}`
}

/** Sums as those of an account that has used many endpoints in each hour of the month. */
async function plantUsage({ superuserUrl }: GatewayReady, accountId: string): Promise<void> {
  if (superuserUrl === null) throw new Error('The server is not the embedded one.')
  await withSession(superuserUrl, async (client) => {
    await client.query(
      `INSERT INTO usage.usage_endpoint (account_id, environment, unit, start, service, endpoint,
         requests, successes, credits, steps)
       SELECT $1, 'live', 'hour', date_trunc('hour', now()) - make_interval(hours => h),
         'service-' || e % 9, 'POST /v1/' || e, 10 * $4::int, 9 * $4::int, 50 * $4::int,
         array_fill(0::bigint, ARRAY[20]) || array_fill(10::bigint, ARRAY[$4::int])
       FROM generate_series(1, $2) h, generate_series(1, $3) e`,
      [accountId, days * 24, endpoints, latencyClasses],
    )
    await client.query(
      `INSERT INTO usage.usage_service
       SELECT account_id, environment, unit, start, service, sum(n), 0.9 * sum(n), 5 * sum(n),
         usage.count_steps((place - 2)::smallint, n)
       FROM usage.usage_endpoint, unnest(steps) WITH ORDINALITY AS s (n, place)
       WHERE account_id = $1 GROUP BY 1, 2, 3, 4, 5`,
      [accountId],
    )
    await client.query('ANALYZE usage.usage_endpoint, usage.usage_service')
  })
}
