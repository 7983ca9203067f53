import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { rounds, seed } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import {
  asTestGateway,
  type TestAccount,
  type TestGateway,
  variablesFor,
} from '../../support/gateway/gateway.ts'
import {
  buyPackage,
  type DisputeStatus,
  disputeOf,
  notifySimulated,
  type RefundStatus,
  refundOf,
} from '../../support/gateway/payment-returns.ts'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'

const kills = rounds('RETURN_KILLS', { all: 4, nightly: 40 })
const timeoutMs = 900_000
const accountCount = 20
const purchasesOfEach = rounds('RETURN_PURCHASES', { all: 5, nightly: 50 })
const senders = 8
const packages = [
  { id: 'pack_starter', credits: 1000, cents: 1000 },
  { id: 'pack_growth', credits: 5000, cents: 4500 },
  { id: 'pack_professional', credits: 20_000, cents: 16_000 },
] as const

/** mulberry32: the printed seed repeats a run. */
function randomOf(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Purchase {
  readonly account: TestAccount
  readonly paymentId: string
  readonly credits: number
  readonly cents: number
}

interface Story {
  /** The messages of the provider about the purchase, in the order in which it happens. */
  readonly messages: readonly object[]
  /** The money that the buyer has back at the end, by refunds and in all. */
  readonly refundedCents: number
  readonly returnedCents: number
}

/** Up to three refunds, of which some fail, and perhaps a dispute. */
function storyOf({ paymentId, cents }: Purchase, random: () => number): Story {
  const messages: object[] = []
  let refundedCents = 0
  const refundCount = Math.floor(random() * 4)
  for (let index = 0; index < refundCount; index += 1) {
    const amount = random() < 0.3 ? cents : 1 + Math.floor(random() * cents)
    const hasFailed = random() < 0.3
    const statuses: RefundStatus[] = [
      'pending',
      'succeeded',
      ...(hasFailed ? ['failed' as const] : []),
    ]
    const reference = `sim_re_${index}`
    messages.push(...statuses.map((status) => refundOf(paymentId, amount, { status, reference })))
    if (!hasFailed) refundedCents += amount
  }
  const disputes: readonly (readonly DisputeStatus[])[] = [
    [],
    ['inquiry'],
    ['open', 'funds_withdrawn', 'lost'],
    ['open', 'funds_withdrawn', 'funds_reinstated', 'won'],
  ]
  const told = disputes[Math.floor(random() * disputes.length)] ?? []
  const disputed = Math.ceil(cents * (random() < 0.5 ? 1 : 0.4))
  messages.push(...told.map((status) => disputeOf(paymentId, disputed, status)))
  const lostCents = told.includes('lost') ? disputed : 0
  return { messages, refundedCents, returnedCents: refundedCents + lostCents }
}

/** Each message one to three times, in any order. */
function scramble(messages: readonly object[], random: () => number): object[] {
  return messages
    .flatMap((message) => Array.from({ length: 1 + Math.floor(random() * 3) }, () => message))
    .map((message) => ({ message, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ message }) => message)
}

describe('money that comes back', () => {
  let database: TestDatabase
  let places: readonly Workplace[]
  let variables: Readonly<Record<string, string>>
  const processes: StartedGateway[] = []
  const gateways: TestGateway[] = []
  beforeAll(async () => {
    await compileProgram()
    database = await createTestDatabase()
    variables = { ...variablesFor(database), LOG_LEVEL: 'error' }
    places = [1, 2].map(() => openWorkplace({ prefix: 'gateway-returns-' }))
    for (const index of places.keys()) await start(index)
  })
  afterAll(async () => {
    await Promise.all(places.map((place) => place.close()))
    await database.drop()
  })

  async function start(index: number): Promise<void> {
    const started = await places[index]?.start(variables)
    if (!started) throw new Error(`There is no place ${index}.`)
    processes[index] = started
    gateways[index] = asTestGateway(started, database)
  }

  function gatewayAt(turn: number): TestGateway {
    const gateway = gateways[turn % gateways.length]
    if (!gateway) throw new Error('No gateway runs.')
    return gateway
  }

  /** Delivers a notification as a provider does: until the answer is 200, at whichever gateway is there. */
  async function deliver(message: object, first: number): Promise<void> {
    for (let turn = first; ; turn += 1) {
      const answer = await notifySimulated(gatewayAt(turn), message).catch(() => null)
      if (answer?.status === 200) {
        expect(answer.body).toEqual({ received: true })
        return
      }
      expect([undefined, 500, 502, 503]).toContain(answer?.status)
      await sleep(50)
    }
  }

  async function buyAll(random: () => number): Promise<Purchase[]> {
    const accounts = await Promise.all(
      Array.from({ length: accountCount }, () => gatewayAt(0).createAccount({ credits: 100 })),
    )
    return (
      await Promise.all(
        accounts.map(async (account, turn) => {
          const bought: Purchase[] = []
          while (bought.length < purchasesOfEach) {
            const { id, credits, cents } =
              packages[Math.floor(random() * packages.length)] ?? packages[0]
            const paymentId = await buyPackage(gatewayAt(turn), account, id)
            bought.push({ account, paymentId, credits, cents })
          }
          return bought
        }),
      )
    ).flat()
  }

  test(`of ${accountCount * purchasesOfEach} purchases is explained exactly, whatever the order, copies and kills`, {
    timeout: timeoutMs,
  }, async () => {
    const random = randomOf(seed)
    const purchases = await buyAll(random)
    const stories = purchases.map((purchase) => storyOf(purchase, random))
    const messages = scramble(
      stories.flatMap((story) => story.messages),
      random,
    )

    let sent = 0
    let done = 0
    const send = async () => {
      while (sent < messages.length) {
        const turn = sent
        sent += 1
        await deliver(messages[turn] ?? {}, turn)
        done += 1
      }
    }
    const sending = Promise.all(Array.from({ length: senders }, send))
    for (let kill = 1; kill <= kills; kill += 1) {
      const from = (kill * messages.length) / (kills + 1)
      while (done < from) await sleep(20)
      const index = kill % 2
      processes[index]?.signal('SIGKILL')
      await processes[index]?.finished
      await start(index)
    }
    await sending

    const rows = await database.query<{
      id: string
      refunded: string
      taken: string
      posted: string
    }>(`SELECT p.id, p.refunded_cents AS refunded,
        coalesce(sum(c.credits - c.returned_credits), 0) AS taken,
        coalesce((SELECT -sum(e.credits) FROM account.ledger_entry e
          JOIN account.payment_clawback o ON o.account_id = e.account_id
            AND o.environment = e.environment AND o.payment_id = p.id
            AND (e.ref = o.ref OR starts_with(e.ref, o.ref || ':back:'))
          WHERE e.account_id = p.account_id AND e.kind IN ('clawback', 'reinstatement')), 0) AS posted
      FROM account.payment p LEFT JOIN account.payment_clawback c ON c.payment_id = p.id
      GROUP BY p.id`)
    const found = new Map(rows.map(({ id, ...row }) => [id, row]))
    const owed = ({ credits, cents }: Purchase, returned: number) =>
      returned >= cents ? credits : Math.floor((credits * returned) / cents)
    for (const [index, purchase] of purchases.entries()) {
      const { refundedCents = 0, returnedCents = 0 } = stories[index] ?? {}
      const credits = String(owed(purchase, returnedCents))
      expect([purchase.paymentId, found.get(purchase.paymentId)]).toEqual([
        purchase.paymentId,
        {
          refunded: String(Math.min(purchase.cents, refundedCents)),
          ...{ taken: credits, posted: credits },
        },
      ])
    }
    for (const [accountId, own] of Map.groupBy(purchases, ({ account }) => account.id)) {
      const left = own.map((purchase) => {
        const returned = stories[purchases.indexOf(purchase)]?.returnedCents ?? 0
        return purchase.credits - owed(purchase, returned)
      })
      const [{ balance } = { balance: '' }] = await database.query<{ balance: string }>(
        `SELECT balance FROM account.balance WHERE account_id = $1 AND environment = 'live'`,
        [accountId],
      )
      const expected = left.reduce((sum, credits) => sum + credits, 100)
      expect([accountId, balance]).toEqual([accountId, String(expected)])
    }
    await expectExactBooks(gatewayAt(0))
    expect(await places[0]?.run(['ledger', 'verify'], variables)).toMatchObject({ code: 0 })
  })
})
