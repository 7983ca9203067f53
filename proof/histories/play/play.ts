import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresBinaries } from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import type { TestGateway } from '../../../test/support/gateway/gateway.ts'
import { until } from '../../../test/support/time/until.ts'
import type {
  Call,
  History,
  MoneyBack,
  Posting,
  Purchase,
  Read,
  Rotation,
  Snapshot,
  Suspension,
} from '../model/history.ts'
import type { CallStep, Plan, PostingStep, Step } from '../plan/plan.ts'
import { changeStatus, type FindGateway, post } from './administer.ts'
import { askCall, askRead, type UsedCredential } from './ask.ts'
import { buy, changePlan, giveMoneyBack } from './buy.ts'
import { type Cast, type Member, makeAccounts, ownCredential } from './cast.ts'
import { nowMs, untilMs } from './clock.ts'
import { injectFaults } from './inject-faults.ts'
import { isQuiet, readBooks, readShown, takeSnapshots } from './observe.ts'
import { openStage, rules, type Stage } from './stage.ts'

const snapshotEveryMs = 400
/** Calls that are asked again at the end. */
const atOnce = 16
/** Steps under way: a slow machine is asked less, so that it has something to answer. */
const places = 64
/** A step that finds no place in this time is left out. */
const latestMs = 1000
const pauseMs = 20

/** Does what the plan says, and returns what was seen. `binaries` are those of another PostgreSQL. */
export async function play(plan: Plan, binaries?: PostgresBinaries): Promise<History> {
  const stage = await openStage(plan, binaries)
  try {
    const cast = await makeAccounts(plan, stage)
    return await record(plan, stage, cast)
  } finally {
    await stage.close()
  }
}

// oxlint-disable-next-line max-lines-per-function -- its short functions share the history of one run.
async function record(plan: Plan, stage: Stage, cast: Cast): Promise<History> {
  const { postgres, gateways, backend } = stage
  const calls: Call[] = []
  const reads: Read[] = []
  const postings: Posting[] = []
  const suspensions: Suspension[] = []
  const rotations: Rotation[] = []
  const purchases: Purchase[] = []
  const buying = new Map<string, Promise<Purchase | null>>()
  const moneyBack: MoneyBack[] = []
  const snapshots: Snapshot[] = []
  let statusChanges: Promise<void> = Promise.resolve()
  const replacing = new Map<number, Promise<void>>()

  /** The one that the plan names, or the other one while that is down. */
  function doorOf(gateway: 0 | 1): { readonly name: string; readonly gateway: TestGateway } | null {
    const order = [gateways[gateway], gateways[gateway === 0 ? 1 : 0]]
    for (const process of order) {
      const up = process.current()
      if (up) return { name: process.name, gateway: up }
    }
    return null
  }

  /** The newest API key or session of an account that has such, or the one before it. */
  function credentialOf(step: Step, account: Member): UsedCredential {
    const { credentials, role } = account
    // Product calls are made with a key.
    const isPage = role === 'visitor' && step.kind !== 'read'
    const isLate = (step.kind === 'call' || step.kind === 'read') && step.isLate
    const place = credentials.length - (isLate && credentials.length > 1 ? 2 : 1)
    const credential = credentials[place]
    if (!credential || isPage) return ownCredential(account)
    return { headers: credential.headers, place }
  }

  async function replace({ id, account: place }: Step, find: FindGateway): Promise<void> {
    const account = cast.accounts[place]
    const old = account?.credentials.at(-1)
    if (!account || !old) throw new Error(`Account ${place} has nothing to replace.`)
    const startMs = nowMs()
    const made = await old.replace(id, find)
    const ended = account.credentials.length - 1
    rotations.push({ accountId: account.id, ended, startMs, endMs: nowMs() })
    account.credentials.push(made)
  }

  function askingFor(step: Step) {
    const { id, account: place, gateway } = step
    const account = cast.accounts[place]
    if (!account) throw new Error(`There is no account ${place}.`)
    const door = doorOf(gateway)
    const credential = credentialOf(step, account)
    return { account, asking: door && { id, account, credential, ...door } }
  }

  async function take(step: Step): Promise<void> {
    const { account, asking } = askingFor(step)
    const find = () => doorOf(step.gateway)?.gateway ?? null
    switch (step.kind) {
      case 'call':
        if (asking) calls.push(await askCall(step, asking))
        break
      case 'read': {
        const read = asking && (await askRead(step.what, asking))
        if (read) reads.push(read)
        break
      }
      case 'posting': {
        const wish = wishOf(step)
        if (wish) postings.push(await post({ ...wish, id: step.id, accountId: account.id }, find))
        break
      }
      case 'suspension':
        // One after the other: an earlier change that is still tried must not end a later one.
        statusChanges = statusChanges.then(async () => {
          suspensions.push(await changeStatus(account.id, step.status, find))
        })
        await statusChanges
        break
      case 'rotation':
        replacing.set(
          step.account,
          (replacing.get(step.account) ?? Promise.resolve()).then(() => replace(step, find)),
        )
        await replacing.get(step.account)
        break
      case 'purchase': {
        const bought = buy(step.id, account, find)
        buying.set(step.id, bought)
        purchases.push(await bought)
        break
      }
      case 'plan change': {
        const changing = changePlan(step.id, step.tier, account, find)
        buying.set(step.id, changing)
        const changed = await changing
        if (changed) purchases.push(changed)
        break
      }
      case 'money back': {
        const bought = await buying.get(step.purchaseId)
        if (bought?.isPaid) moneyBack.push(await giveMoneyBack(step, bought, find))
        break
      }
    }
  }

  /** A refund is of a call that was answered with a success in time. */
  function wishOf({ priority, endsAfterMs, ...step }: PostingStep) {
    if (step.what !== 'refund') {
      const expiresAtMs = endsAfterMs === null ? null : Math.round(nowMs()) + endsAfterMs
      const allowNegative = step.what === 'adjustment' && step.allowNegative
      const { what: kind, credits } = step
      return { kind, credits, expiresAtMs, priority, allowNegative, requestId: null }
    }
    const answer = calls.find(({ id }) => id === step.callId)?.answer
    if (!answer?.charged || answer.isReplay) return null
    const { charged: credits, requestId } = answer
    const never = { expiresAtMs: null, priority, allowNegative: false }
    return { kind: step.what, credits, ...never, requestId }
  }

  const beganMs = nowMs()
  let isOver = false
  async function watch(): Promise<void> {
    while (!isOver) {
      // The database may be down.
      snapshots.push(...(await takeSnapshots(postgres.database).catch(() => [])))
      await sleep(snapshotEveryMs)
    }
  }
  const watching = watch()
  const faults = injectFaults(plan, stage, beganMs)
  let underWay = 0
  const steps = plan.steps.map(async (step) => {
    const dueMs = beganMs + step.atMs
    await untilMs(dueMs)
    const isNeeded = !['call', 'read', 'posting'].includes(step.kind)
    while (underWay >= places && !isNeeded) {
      if (nowMs() > dueMs + latestMs) return
      await sleep(pauseMs)
    }
    underWay += 1
    try {
      await take(step)
    } finally {
      underWay -= 1
    }
  })
  // No step may be under way when the stage closes, also when something went wrong.
  await Promise.allSettled([faults, ...steps])
  const [outages] = await Promise.all([faults, ...steps])
  // A plan that was cut down may lack the end of a suspension, and a suspended account shows no sums.
  for (const { id } of cast.accounts) {
    const last = suspensions.findLast(({ accountId }) => accountId === id)
    if (last?.status !== 'SUSPENDED') continue
    suspensions.push(await changeStatus(id, 'ACTIVE', () => doorOf(0)?.gateway ?? null))
  }
  // A client without an answer asks again with the same key; everything is up now.
  const open = unanswered(plan, calls)
  const askAgain = async () => {
    for (let step = open.shift(); step; step = open.shift()) {
      await take({ ...step, id: `${step.id}-again` })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, askAgain))
  let quietMs = 0
  await until(async () => {
    const askedMs = nowMs()
    if (!(await isQuiet(postgres.database))) return false
    quietMs = askedMs
    return true
  }).catch(() => {
    quietMs = nowMs()
  })
  isOver = true
  await watching

  const up = doorOf(0)
  if (!up) throw new Error('No gateway is up at the end.')
  snapshots.push(...(await takeSnapshots(postgres.database)))
  const books = await readBooks(postgres.database, up.gateway)
  const shown = await readShown(cast.accounts, up)
  return {
    ...{ rules, accounts: cast.starts, calls, reads, postings, suspensions },
    ...{ rotations, purchases, moneyBack, outages },
    asked: backend.asked(),
    ...{ snapshots, quietMs },
    books: { ...books, ...shown },
  }
}

type PlannedCall = Extract<Step, CallStep>

/** The first call of each key of which nothing is known. */
function unanswered({ steps }: Plan, calls: readonly Call[]): PlannedCall[] {
  const known = new Map(calls.map(({ id, answer }) => [id, answer?.status ?? 503]))
  const planned = steps.filter((step): step is PlannedCall => step.kind === 'call')
  const open = planned.filter(
    ({ id, key, environment }) =>
      key !== null && environment === 'live' && (known.get(id) ?? 503) === 503,
  )
  const first = new Map(open.toReversed().map((step) => [`${step.account} ${step.key}`, step]))
  return [...first.values()].map((step) => ({ ...step, leavesAfterMs: null }))
}
