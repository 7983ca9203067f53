import { GraphQLError } from 'graphql'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { callLine, type Hold, type Reservation } from '../../../rest-facade/charge/hold.ts'
import { createLedger } from '../../../rest-facade/charge/ledger.ts'
import { createGraphClient } from '../../../rest-facade/graph/graph-client.ts'
import type { Caller } from '../../../schema/credentials/caller.ts'
import {
  RefusedUnsent,
  SilentDatabase,
} from '../../../subgraphs/shared/database/health/silence-watch.ts'
import { databaseFailure } from '../../../subgraphs/shared/graph/database-failure.ts'
import { answeringGraph } from '../../support/graph/answering-graph.ts'
import { createAskedLedger } from '../../support/graph/asked-ledger.ts'
import { patience } from '../../support/time/patience.ts'

interface Asked {
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Caller
}

const settlementColumns = { requestIds: z.array(z.string()), credits: z.array(z.number()) }

/** The account subgraph, whose statements fail in this way until the database is back. */
function startGraph(failure: Error) {
  const settled: string[] = []
  let isUnavailable = true
  let attempts = 0

  async function answer({ variables }: Asked) {
    const batch = Object(Object(variables).batch)
    const isSettlement = !('ttlSeconds' in batch)
    if (isSettlement) attempts += 1
    if (isUnavailable) {
      const { message, extensions } = databaseFailure(failure) ?? {}
      return { errors: [new GraphQLError(message ?? '', { extensions })] }
    }
    const { requestIds, credits } = z.object(settlementColumns).parse(batch)
    settled.push(...requestIds)
    const outcomes = requestIds.map(() => 'captured')
    return { data: { result: { outcomes, credits, available: requestIds.map(() => 1) } } }
  }

  const { execute } = createGraphClient(() => answer)
  return {
    ledger: createAskedLedger(execute),
    settled,
    attempts: () => attempts,
    comeBack: () => {
      isUnavailable = false
    },
  }
}

const call = {
  processId: 'one',
  ts: '2026-11-22T00:00:00.000Z',
  method: 'POST',
  route: '/v1/contacts/reveal',
  service: 'contacts',
  traceId: 'trace',
  backendModule: 'contact-finder',
  keyId: null,
}

const holdOf = (requestId: string): Hold => ({
  requestId,
  accountId: 'acc_1',
  environment: 'live',
  credits: 5,
  ttlSeconds: 60,
  endpoint: '/v1/contacts/reveal',
  call: callLine(call),
  idempotency: null,
  budgetOwners: null,
})

const claim = { keyHash: 'key', requestHash: 'request', ttlSeconds: 86_400 }
const keyedHoldOf = (requestId: string): Hold => ({ ...holdOf(requestId), idempotency: claim })

const delivered = (requestId: string) => ({
  hold: holdOf(requestId),
  credits: 5,
  reservedAt: null,
  kept: null,
})

/** A call that notes what it is told. */
function toldCall(requestId: string, told: unknown[], onTold = () => {}) {
  const note = (what: string) => (value: unknown) => {
    told.push([requestId, what, value instanceof Error ? value.message : value])
    onTold()
  }
  const failed = (error: unknown) => void told.push([requestId, 'failed', Object(error).message])
  const item = { credits: 5, reservedAt: null, kept: null, queuedAtMs: 0, asker: null }
  const hold = holdOf(requestId)
  const reserved = ({ verdict }: Reservation) => note('reserved')(verdict)
  return { ...item, hold, reserved, settled: note('settled'), failed }
}

const statusesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  new Set(results.map((result) => (result.status === 'rejected' ? result.reason.code : 'done')))

test('a reservation that was refused before it was sent leaves nothing to release', async () => {
  const { ledger, settled, attempts, comeBack } = startGraph(
    new RefusedUnsent(new SilentDatabase()),
  )

  const names = Array.from({ length: 1000 }, (_, index) => `refused ${index}`)
  const results = await Promise.allSettled(names.map((name) => ledger.reserve(holdOf(name))))
  const waiting = ledger.queues.settle.waiting()
  comeBack()
  await ledger.settle(delivered('later'))

  expect(statusesOf(results)).toEqual(new Set(['SERVICE_UNAVAILABLE']))
  expect(waiting).toBe(0)
  expect(attempts()).toBe(1)
  expect(settled).toEqual(['later'])
})

test('a reservation whose answer was lost is released once the database is available again', async () => {
  const { ledger, settled, comeBack } = startGraph(new SilentDatabase())

  const [result] = await Promise.allSettled([ledger.reserve(holdOf('lost'))])
  comeBack()
  await vi.waitUntil(() => settled.length > 0, patience)

  expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } })
  expect(settled).toEqual(['lost'])
})

test('delivered calls are charged however many releases wait, and waiting releases are limited', async () => {
  const { ledger, settled, comeBack } = startGraph(new SilentDatabase())
  const { maxWaiting } = ledger.queues.settle
  for (let round = 0; round < 3; round += 1) {
    const names = Array.from({ length: 10_000 }, (_, index) => `lost ${round} ${index}`)
    const results = await Promise.allSettled(names.map((name) => ledger.reserve(holdOf(name))))
    expect(statusesOf(results)).toEqual(new Set(['SERVICE_UNAVAILABLE']))
  }
  const releases = ledger.queues.settle.waiting()

  const charges = ['one', 'two'].map((name) => ledger.settle(delivered(name)))
  comeBack()

  expect(await Promise.all(charges)).toEqual(
    Array(2).fill({ outcome: 'captured', credits: 5, available: 1, budgetRemaining: null }),
  )
  expect(releases).toBe(maxWaiting)
  expect(settled.slice(-2)).toEqual(['one', 'two'])
})

describe('calls that are called back', () => {
  /** Accepts and captures all; `answer` replaces the verdict or outcome of a request. */
  function startLedger(answer: Readonly<Record<string, string>> = {}) {
    const graph = answeringGraph((operation, variables) => {
      const { requestIds } = Object(variables.batch) as { requestIds: readonly string[] }
      const numbers = requestIds.map(() => 5)
      if (operation === 'SettleBatch') {
        if (requestIds.some((id) => answer[id] === 'broken')) throw new Error('broken')
        const outcomes = requestIds.map((id) => answer[id] ?? 'captured')
        return { outcomes, credits: numbers, available: numbers }
      }
      return { verdicts: requestIds.map((id) => answer[id] ?? 'accepted'), available: numbers }
    })
    return createLedger(graph)
  }

  test('one that throws learns so itself, and the others of its batch are told', async () => {
    const ledger = startLedger()
    const told: unknown[] = []
    function explode() {
      throw new Error('a fault of this call')
    }

    const calls = [toldCall('one', told), toldCall('two', told, explode), toldCall('three', told)]
    for (const call of calls) ledger.begin(call)
    await vi.waitUntil(() => told.length === 4, patience)
    for (const call of calls) ledger.end(call)
    await ledger.idle()

    const fault = 'a fault of this call'
    expect(told.slice(0, 4)).toEqual([
      ...[
        ['one', 'reserved', 'accepted'],
        ['two', 'reserved', 'accepted'],
        ['two', 'failed', fault],
      ],
      ['three', 'reserved', 'accepted'],
    ])
    expect(told.slice(4).map((one) => Object(one).slice(0, 2))).toEqual([
      ...[
        ['one', 'settled'],
        ['two', 'settled'],
        ['two', 'failed'],
      ],
      ['three', 'settled'],
    ])
    expect(ledger.open()).toBe(0)
  })

  test('what a batch cannot decide is judged by itself, and is open only if it is accepted then', async () => {
    const asked: unknown[] = []
    const verdicts = { poor: ['again', 'insufficient'], late: ['locked', 'locked', 'accepted'] }
    const left = new Map(Object.entries(verdicts).map(([name, all]) => [name, [...all]]))
    const graph = answeringGraph((operation, variables) => {
      const { requestIds, isApart, isPatient } = Object(variables.batch)
      asked.push([operation, isApart, isPatient, ...requestIds])
      const answers = requestIds.map((id: string) => left.get(id)?.shift() ?? 'accepted')
      return { verdicts: answers, available: requestIds.map(() => 5) }
    })
    const ledger = createLedger(graph)
    const told: unknown[] = []

    for (const name of ['poor', 'late', 'rich']) ledger.begin(toldCall(name, told))
    await vi.waitUntil(() => told.length === 3, patience)

    expect(told).toHaveLength(3)
    expect(new Set(told)).toEqual(
      new Set([
        ['late', 'reserved', 'accepted'],
        ['poor', 'reserved', 'insufficient'],
        ['rich', 'reserved', 'accepted'],
      ]),
    )
    expect(asked).toHaveLength(4)
    expect(asked).toEqual(
      expect.arrayContaining([
        ['ReserveBatch', false, false, 'poor', 'late', 'rich'],
        ['ReserveApart', true, false, 'poor'],
        ['ReserveApart', true, true, 'late'],
      ]),
    )
    expect(ledger.open()).toBe(2)
  })

  test('a verdict that a batch of many cannot give is asked for again', async () => {
    const graph = answeringGraph((operation) => ({
      ...{ verdicts: [operation === 'ReserveApart' ? 'running' : 'replay'], available: [5] },
    }))
    const ledger = createLedger(graph)
    const told: unknown[] = []

    ledger.begin(toldCall('one', told))
    await vi.waitUntil(() => told.length === 1, patience)

    expect(told).toEqual([['one', 'reserved', 'running']])
    expect(ledger.open()).toBe(0)
  })

  test('a settlement that is impossible fails alone, and nobody waits for it', async () => {
    const ledger = startLedger({ two: 'broken' })
    const told: unknown[] = []
    const calls = ['one', 'two', 'three'].map((name) => toldCall(name, told))
    for (const call of calls) ledger.begin(call)
    await vi.waitUntil(() => told.length === 3, patience)

    for (const call of calls) ledger.end(call)
    await ledger.idle()

    expect(told.slice(3).map((one) => Object(one).slice(0, 2))).toEqual([
      ['one', 'settled'],
      ['two', 'failed'],
      ['three', 'settled'],
    ])
  })

  test('a settlement says for how long it has waited, also when it is asked for anew', async () => {
    let nowMs = Math.ceil(performance.now())
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    const waited: unknown[] = []
    const graph = answeringGraph((_, variables) => {
      const { waitedSeconds, isPatient } = Object(variables.batch)
      waited.push([isPatient, waitedSeconds])
      nowMs += 1_000_000
      return { outcomes: [isPatient ? 'captured' : 'locked'], credits: [5], available: [5] }
    })
    const ledger = createAskedLedger(graph)

    await ledger.settle(delivered('one'))
    vi.restoreAllMocks()

    expect(waited).toEqual([
      [false, 0],
      [true, 1000],
    ])
  })
})

describe('batches', () => {
  const input = z.object({ requestIds: z.array(z.string()) }).loose()

  /** The account subgraph; what it could not accept at once is `again`. */
  function startBatches(again: readonly string[]) {
    const asked: [operation: string, ids: readonly string[]][] = []
    const inputs: unknown[] = []
    const execute = answeringGraph((operation, variables) => {
      inputs.push(variables.batch)
      const { requestIds } = input.parse(variables.batch)
      asked.push([operation, requestIds])
      if (operation === 'ReserveApart') {
        const none = requestIds.map(() => null)
        return {
          verdicts: requestIds.map(() => 'insufficient'),
          available: requestIds.map(() => 3),
          ...{ answers: none, bodies: none, reservedAts: none, budgetRemaining: none },
          refusing: requestIds.map(() => []),
        }
      }
      const available = requestIds.map(() => 7)
      if (operation === 'SettleBatch') {
        const outcomes = requestIds.map(() => 'captured')
        return { outcomes, credits: requestIds.map(() => 5), available }
      }
      const verdicts = requestIds.map((id) => (again.includes(id) ? 'again' : 'accepted'))
      return { verdicts, available }
    })
    return { ledger: createAskedLedger(execute), asked, inputs }
  }

  test('a reservation on a locked balance is tried for four fifths of the time of a statement', async () => {
    let attempts = 0
    const graph = answeringGraph(() => {
      attempts += 1
      return { verdicts: ['locked'], available: [0] }
    })
    const ledger = createAskedLedger(graph, { databaseTimeoutMs: 1000 })

    await expect(ledger.reserve(holdOf('one'))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
    })

    // One in a tenth of a second; a slow machine makes fewer.
    expect(attempts).toBeGreaterThan(1)
    expect(attempts).toBeLessThan(20)
  })

  test('callers wait for settlements and releases for shares of the time of a statement', () => {
    const ledger = createLedger(
      answeringGraph(() => null),
      { databaseTimeoutMs: 10_000 },
    )

    const { settle, release, releaseInOutage } = ledger.patience
    expect([settle, release, releaseInOutage].map(({ timeoutMs }) => timeoutMs)).toEqual([
      9000, 2000, 500,
    ])
  })

  test('reservations go apart: without keys, with keys, and those that a batch could not accept', async () => {
    const { ledger, asked, inputs } = startBatches(['poor', 'poor with key'])
    const holds = [
      ...['one', 'poor', 'two'].map(holdOf),
      ...['keyed', 'poor with key'].map(keyedHoldOf),
    ]

    const results = await Promise.all(holds.map((hold) => ledger.reserve(hold)))

    expect(results.map(({ verdict, available }) => [verdict, available])).toEqual([
      ['accepted', 7],
      ['insufficient', 3],
      ['accepted', 7],
      ['accepted', 7],
      ['insufficient', 3],
    ])
    expect(asked).toEqual([
      ['ReserveBatch', ['one', 'poor', 'two']],
      ['ReserveBatch', ['keyed', 'poor with key']],
      ['ReserveApart', ['poor', 'poor with key']],
    ])
    expect(inputs[0]).toMatchObject({ keyHashes: null, requestHashes: null, keyTtlSeconds: null })
    expect(inputs[1]).toMatchObject({
      keyHashes: ['key', 'key'],
      requestHashes: ['request', 'request'],
      keyTtlSeconds: 86_400,
    })
    expect(inputs[2]).toMatchObject({
      ...{ keyHashes: [null, 'key'], requestHashes: [null, 'request'], keyTtlSeconds: 86_400 },
      ...{ spenders: null, counts: null, isApart: true, isPatient: false },
    })
    expect(ledger.open()).toBe(3)
  })

  test('settlements with and without keys go together, with all that a charge needs', async () => {
    const { ledger, asked, inputs } = startBatches([])
    const answer = { status: 200, headers: {}, sealedFor: 'account' } as const

    const results = await Promise.all([
      ledger.settle(delivered('plain')),
      ledger.settle({
        hold: keyedHoldOf('kept'),
        credits: 5,
        reservedAt: null,
        kept: { answer, body: 'sealed' },
      }),
      ledger.settle({ hold: keyedHoldOf('released'), credits: 0, reservedAt: null, kept: null }),
    ])

    expect(results).toEqual(
      Array(3).fill({ outcome: 'captured', credits: 5, available: 7, budgetRemaining: null }),
    )
    expect(asked).toEqual([['SettleBatch', ['plain', 'kept', 'released']]])
    expect(inputs).toEqual([
      {
        requestIds: ['plain', 'kept', 'released'],
        accountIds: ['acc_1', 'acc_1', 'acc_1'],
        environments: ['live', 'live', 'live'],
        credits: [5, 5, 0],
        endpoints: Array(3).fill('/v1/contacts/reveal'),
        calls: Array(3).fill(callLine(call)),
        keyHashes: [null, 'key', 'key'],
        answers: [null, JSON.stringify(answer), null],
        bodies: [null, 'sealed', null],
        spenders: null,
        reservedAts: null,
        counts: null,
        isPatient: false,
        waitedSeconds: 0,
      },
    ])
  })
})
