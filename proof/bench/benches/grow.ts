import { z } from 'zod'
import { withSession } from '../machine/sessions.ts'
import { type Bench, type BenchContext, median, type Row } from '../support/bench.ts'
import { type ChargeContest, contestCharges } from '../support/charge-contest.ts'
import { type Child, startChild } from '../support/child.ts'
import { withCleanups } from '../support/cleanups.ts'
import { alternate, perSecond, problemsOf } from '../support/compare.ts'
import { type GatewayReady, startGatewayChild } from '../support/gateway.ts'
import { startServerChild } from '../support/http-server.ts'
import { type LoadResult, startLoadGenerator } from '../support/load.ts'
import { revealRequest } from '../support/reveal.ts'
import { neighbourRows } from './grow-neighbours.ts'

export const grow: Bench = {
  name: 'grow',
  title: 'Charges of many accounts, of a hot one, beside a long reader, beside bad neighbours',
  isLong: true,
  run: async (context: BenchContext) => [
    ...(await spreadRows(context)),
    ...(await gatewayRows(context)),
  ],
}

const manyAccounts = 2000
const minReaderRatio = 0.8
const connections = 32
const warmUpSeconds = 4

const batched = { how: 'batched', waiting: 64 } as const
const contests: readonly ChargeContest[] = [
  {
    bench: `GROW charges of ${manyAccounts} accounts / of 10`,
    minRatio: 0.9,
    ours: { ...batched, accounts: manyAccounts },
    floor: { ...batched, accounts: 10 },
  },
  {
    bench: `GROW charges of one hot account / of ${manyAccounts}`,
    minRatio: 0.9,
    ours: { ...batched, accounts: 1 },
    floor: { ...batched, accounts: manyAccounts },
  },
]

/** Without HTTP: the limit of one account's requests would be met long before. */
function spreadRows({ slices }: BenchContext): Promise<readonly Row[]> {
  return withCleanups(async (defer) => {
    const options = { accounts: manyAccounts }
    const child = await startChild({ role: 'charges', ready: z.unknown(), options })
    defer(() => child.stop())
    const rows: Row[] = []
    for (const contest of contests) rows.push(await contestCharges(contest, child, slices))
    return rows
  })
}

function gatewayRows(context: BenchContext): Promise<readonly Row[]> {
  return withCleanups(async (defer) => {
    const backend = await startServerChild('backend')
    defer(() => backend.stop())
    // The locked account's failures are expected.
    const variables = { BACKEND_CONTACT_FINDER_URL: backend.ready.url, LOG_LEVEL: 'error' }
    const options = { accounts: 400, poorAccounts: 1, variables }
    const gateway = await startGatewayChild(options, context.gatewayFlags)
    defer(() => gateway.stop())
    const beside = await startLoadGenerator()
    defer(() => beside.stop())
    const alongside = await readerRow(context, gateway)
    return [
      alongside.row,
      ...(await neighbourRows(context, {
        gateway: gateway.ready,
        beside: beside.run,
        capacity: alongside.capacity,
      })),
    ]
  })
}

/** The cost of an open snapshot: no row version that it might see can be removed. */
async function readerRow(
  { runLoad, longRounds, longSeconds }: BenchContext,
  { ready }: Child<GatewayReady>,
): Promise<{ row: Row; capacity: number }> {
  const load = { url: ready.baseUrl, ...revealRequest(ready), connections }
  await runLoad({ ...load, seconds: warmUpSeconds })
  const charge = () => runLoad({ ...load, seconds: longSeconds })
  const measured = await alternate(longRounds, () => besideReader(ready.ownerUrl, charge), charge)
  const rate = (results: readonly LoadResult[]) =>
    median(results.map(({ countByStatus, seconds }) => (countByStatus[200] ?? 0) / seconds))
  const [ours, floor] = [rate(measured.ours), rate(measured.other)]
  const row = {
    bench: `GROW charges beside a REPEATABLE READ reader, ${longSeconds} s / without`,
    goal: `≥ ${minReaderRatio.toFixed(2)}`,
    ours: perSecond(ours),
    floor: perSecond(floor),
    value: (ours / floor).toFixed(2),
    isMet: ours / floor >= minReaderRatio,
    problems: measured.ours.flatMap((result) => problemsOf(result, ['200'])),
    measured,
  }
  return { row, capacity: floor }
}

function besideReader<Result>(url: string, work: () => Promise<Result>): Promise<Result> {
  return withSession(url, async (client) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    // The first statement takes the snapshot.
    await client.query('SELECT count(*) FROM pg_class')
    return work()
  })
}
