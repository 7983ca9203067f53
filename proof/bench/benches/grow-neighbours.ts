import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withSession } from '../machine/sessions.ts'
import { type BenchContext, median, type Row } from '../support/bench.ts'
import { alternate, problemsOf } from '../support/compare.ts'
import type { GatewayReady } from '../support/gateway.ts'
import type { Load, LoadResult, RunLoad } from '../support/load.ts'
import { revealRequest } from '../support/reveal.ts'

const maxRatio = 1.2
const maxLockedMs = 200
const lockSeconds = 5
const lockedPerSecond = 20
/** The load of the neighbour: as much as an account may send, with some room. */
const noisePerSecond = 90
const pieceSeconds = 10
/** The connections of each generator: the gateway refuses more than a thousand of one address. */
const connections = 256
/** The part of the capacity that the others send. */
const shareOfOthers = 1 / 4

interface Neighbourhood {
  readonly gateway: GatewayReady
  /** A second load generator. */
  readonly beside: RunLoad
  /** Charges in a second. */
  readonly capacity: number
}

/** How an account that cannot pay, one that repeats itself and a locked one slow the other accounts. */
export async function neighbourRows(
  context: BenchContext,
  { gateway, beside, capacity }: Neighbourhood,
): Promise<readonly Row[]> {
  const { accounts, poorAccounts, baseUrl: url } = gateway
  const [replaying, locked, paying, ...rest] = accounts
  if (!replaying || !locked || !paying) throw new Error('There are no accounts.')
  const loadOf = (senders: GatewayReady['accounts'], perSecond: number): Load => ({
    ...{ url, connections, seconds: pieceSeconds, perSecond },
    ...revealRequest({ accounts: senders }),
  })
  const sides: Sides = { others: loadOf(rest, Math.round(capacity * shareOfOthers)), beside }
  const replays = loadOf([replaying], noisePerSecond)
  return [
    await ratioRow(context, sides, {
      name: 'an account without credits, which gets 402',
      noise: loadOf(poorAccounts, noisePerSecond),
      status: 402,
      maxRatio,
    }),
    await ratioRow(context, sides, {
      name: 'an account that only repeats a call',
      noise: { ...replays, headerSets: repeated(replays.headerSets) },
      status: 200,
      maxRatio,
    }),
    await ratioRow(context, sides, {
      name: 'an account that pays for as many calls',
      noise: loadOf([paying], noisePerSecond),
      status: 200,
      maxRatio: null,
    }),
    await lockRow(context, sides, { gateway, locked, noise: loadOf([locked], lockedPerSecond) }),
  ]
}

interface Sides {
  readonly others: Load
  readonly beside: RunLoad
}

interface Neighbour {
  readonly name: string
  readonly noise: Load
  /** The status of its answers, unless it meets its limit. */
  readonly status: number
  /** Null: no goal, it shows what so many calls do, whatever they are. */
  readonly maxRatio: number | null
}

function repeated(headerSets: Load['headerSets']): Load['headerSets'] {
  return headerSets.map((headers) => ({ ...headers, 'idempotency-key': randomUUID() }))
}

async function ratioRow(
  { runLoad, slices }: BenchContext,
  { others, beside }: Sides,
  { name, noise, status, maxRatio: goal }: Neighbour,
): Promise<Row> {
  await runLoad(others)
  // One after the other: the first of those that are repeated is over before the next.
  await beside({ ...noise, connections: 1, seconds: 1 })
  const noises: LoadResult[] = []
  const measured = await alternate(
    slices,
    async () => {
      const [quiet, noisy] = await Promise.all([runLoad(others), beside(noise)])
      noises.push(noisy)
      return quiet
    },
    () => runLoad(others),
  )
  const p99Ms = (results: readonly LoadResult[]) => median(results.map((result) => result.p99Ms))
  const ratio = p99Ms(measured.ours) / p99Ms(measured.other)
  return {
    bench: `GROW p99 of others beside ${name} / alone`,
    goal: goal === null ? '–' : `≤ ${goal.toFixed(2)}`,
    ours: `${p99Ms(measured.ours).toFixed(1)} ms`,
    floor: `${p99Ms(measured.other).toFixed(1)} ms`,
    value: ratio.toFixed(2),
    isMet: goal === null ? null : ratio <= goal,
    problems: [
      ...measured.ours.flatMap((result) => problemsOf(result, ['200'])),
      ...noises.flatMap((result) => problemsOf(result, [String(status), '429'])),
    ],
    measured: { ...measured, noises },
  }
}

interface Locked {
  readonly gateway: GatewayReady
  readonly locked: GatewayReady['accounts'][number]
  readonly noise: Load
}

/** The others send while another session has locked the balance of an account that goes on sending. */
async function lockRow(
  { runLoad, slices }: BenchContext,
  { others, beside }: Sides,
  { gateway, locked, noise }: Locked,
): Promise<Row> {
  const results: LoadResult[] = []
  const noises: LoadResult[] = []
  for (let round = 0; round < slices; round += 1) {
    const noisy = whileLocked(gateway.superuserUrl, locked.id, async () => {
      const waiting = beside({ ...noise, seconds: lockSeconds })
      results.push(await runLoad({ ...others, seconds: lockSeconds }))
      return { waiting }
    })
    noises.push(await (await noisy).waiting)
  }
  const p99Ms = median(results.map((result) => result.p99Ms))
  return {
    bench: `GROW p99 of others while one balance is locked for ${lockSeconds} s`,
    goal: `≤ ${maxLockedMs} ms`,
    ours: `${p99Ms.toFixed(1)} ms`,
    floor: '–',
    value: `${p99Ms.toFixed(1)} ms`,
    isMet: p99Ms <= maxLockedMs,
    problems: results.flatMap((result) => problemsOf(result, ['200'])),
    measured: { others: results, locked: noises },
  }
}

/** Locks the balance before `work` begins, and for so long, whether the work takes longer or not. */
function whileLocked<Result>(
  superuserUrl: string | null,
  accountId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (superuserUrl === null) throw new Error('GROW needs the embedded PostgreSQL.')
  return withSession(superuserUrl, async (client) => {
    await client.query('BEGIN')
    const { rowCount } = await client.query(
      `SELECT 1 FROM account.balance WHERE account_id = $1 AND environment = 'live' FOR UPDATE`,
      [accountId],
    )
    if (rowCount !== 1) throw new Error('The account has no balance to lock.')
    const working = work()
    await sleep(lockSeconds * 1000)
    await client.query('COMMIT')
    return working
  })
}
