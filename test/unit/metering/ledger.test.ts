import { GraphQLError } from 'graphql'
import { expect, test, vi } from 'vitest'
import { createGraphClient } from '../../../rest-facade/graph/graph-client.ts'
import { createLedger, type Reserve } from '../../../rest-facade/metering/ledger.ts'
import type { Caller } from '../../../schema/credentials/caller.ts'
import {
  RefusedUnsent,
  SilentDatabase,
} from '../../../subgraphs/shared/database/health/silence-watch.ts'
import { databaseFailure } from '../../../subgraphs/shared/graph/database-failure.ts'
import { patience } from '../../support/time/patience.ts'

interface Asked {
  readonly variables: Readonly<Record<string, unknown>>
  readonly caller: Caller
}

/** The account subgraph, whose statements fail in this way until the database is back. */
function startGraph(failure: Error) {
  const settled: string[] = []
  let isAway = true
  let attempts = 0

  async function answer({ variables }: Asked) {
    const items: Reserve[] = Object(variables).items
    const isSettlement = items.every((item) => 'keyHash' in item)
    if (isSettlement) attempts += 1
    if (isAway) {
      const { message, extensions } = databaseFailure(failure) ?? {}
      return { errors: [new GraphQLError(message ?? '', { extensions })] }
    }
    settled.push(...items.map(({ requestId }) => requestId))
    const result = items.map(({ credits }) => ({ outcome: 'captured', credits, available: 1 }))
    return { data: { result } }
  }

  const { execute } = createGraphClient(() => answer)
  return {
    ledger: createLedger(execute),
    settled,
    attempts: () => attempts,
    comeBack: () => {
      isAway = false
    },
  }
}

const reservation = (requestId: string): Reserve => ({
  requestId,
  accountId: 'acc_1',
  environment: 'live',
  credits: 5,
  ttlSeconds: 60,
  request: {},
  idempotency: null,
})

const delivered = (requestId: string) => ({
  requestId,
  accountId: 'acc_1',
  environment: 'live' as const,
  credits: 5,
  keyHash: null,
  answer: null,
  body: null,
})

const statusesOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  new Set(results.map((result) => (result.status === 'rejected' ? result.reason.code : 'done')))

test('a reservation that was refused before it was sent leaves nothing to release', async () => {
  const { ledger, settled, attempts, comeBack } = startGraph(
    new RefusedUnsent(new SilentDatabase()),
  )

  const names = Array.from({ length: 1000 }, (_, index) => `refused ${index}`)
  const results = await Promise.allSettled(names.map((name) => ledger.reserve(reservation(name))))
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

  const [result] = await Promise.allSettled([ledger.reserve(reservation('lost'))])
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
    const results = await Promise.allSettled(names.map((name) => ledger.reserve(reservation(name))))
    expect(statusesOf(results)).toEqual(new Set(['SERVICE_UNAVAILABLE']))
  }
  const releases = ledger.queues.settle.waiting()

  const charges = ['one', 'two'].map((name) => ledger.settle(delivered(name)))
  comeBack()

  expect(await Promise.all(charges)).toEqual(
    Array(2).fill({ outcome: 'captured', credits: 5, available: 1 }),
  )
  expect(releases).toBe(maxWaiting)
  expect(settled.slice(-2)).toEqual(['one', 'two'])
})
