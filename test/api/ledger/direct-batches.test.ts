import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usageBatchOf } from '../../../rest-facade/charge/usage-log/usage-batch.ts'
import { type Caller, serviceCaller } from '../../../schema/credentials/caller.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { batchOf, chargesOn } from '../../support/database/charge-batches.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { usageEntryOf } from '../../support/database/usage-entries.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())
const { openAccount, stateOf } = chargesOn(() => graph)

const operations = {
  ReserveBatch: 'account',
  SettleBatch: 'account',
  OpenUsageEpoch: 'usage',
  RecordUsageBatch: 'usage',
}
type Ask = (operation: keyof typeof operations, variables: object) => Promise<unknown>

function documentOf(operation: keyof typeof operations) {
  const file = `schema/operations/${operations[operation]}/${operation}.graphql`
  return parse(readFileSync(join(projectRoot, file), 'utf8'))
}

/** Asks as this process asks itself (`isOwn`), or with the variables as they are after a trip as JSON. */
function askAs(isOwn: boolean, caller: Caller = serviceCaller()): Ask {
  return async (operation, variables) => {
    const { data, errors } = Object(
      await graph.subgraphs.get(operations[operation])?.execute({
        ...{ document: documentOf(operation), caller, isOwn },
        variables: isOwn ? { ...variables } : JSON.parse(JSON.stringify(variables)),
      }),
    )
    // Compiled answers have objects without a prototype.
    return structuredClone(data?.result) ?? errors.map(Object)[0].extensions
  }
}

interface Case {
  readonly title: string
  readonly expected: unknown
  /** What is asked, and what is stored afterwards. */
  readonly run: (ask: Ask, accountId: string) => Promise<unknown>
}

const answer = JSON.stringify({ status: 200, headers: {}, sealedFor: 'account' })

const cases: Case[] = [
  {
    title: 'ReserveBatch and SettleBatch',
    expected: [
      { verdicts: ['accepted', 'accepted', 'accepted'] },
      { held: 20 },
      { outcomes: ['captured', 'voided', 'voided'] },
    ],
    async run(ask, accountId) {
      const batch = batchOf([
        { accountId, credits: 5 },
        { accountId, credits: 7 },
        { accountId, credits: 8 },
      ])
      const reserved = await ask('ReserveBatch', { batch: { ...batch, ttlSeconds: 60 } })
      const held = await stateOf(accountId)
      const settled = await ask('SettleBatch', { batch: { ...batch, credits: [3, 0, 0] } })
      return [reserved, held, settled]
    },
  },
  {
    title: 'ReserveBatch and SettleBatch with keys',
    expected: [
      { verdicts: ['accepted', 'again', 'accepted'] },
      { outcomes: ['captured', 'expired', 'voided'] },
      [{ key_hash: 'a', body: 'sealed' }],
    ],
    async run(ask, accountId) {
      const batch = batchOf([
        { accountId, credits: 5, keyHash: 'a' },
        { accountId, credits: 5, keyHash: 'a' },
        { accountId, credits: 5, keyHash: 'b' },
      ])
      const { keyHashes } = Object(batch)
      const claims = { requestHashes: keyHashes, keyTtlSeconds: 600, ttlSeconds: 60 }
      const reserved = await ask('ReserveBatch', { batch: { ...batch, ...claims } })
      const kept = { answers: [answer, null, null], bodies: ['sealed', null, null] }
      const settled = await ask('SettleBatch', { batch: { ...batch, ...kept, credits: [5, 0, 0] } })
      const keys = await graph.database.query(
        'SELECT key_hash, answer, body FROM account.idempotency_key WHERE account_id = $1',
        [accountId],
      )
      return [reserved, settled, keys]
    },
  },
  {
    title: 'ReserveBatch and SettleBatch of which one has a key',
    expected: [
      { verdicts: ['accepted', 'accepted'] },
      { outcomes: ['captured', 'captured'], credits: [5, 6] },
    ],
    async run(ask, accountId) {
      const batch = batchOf([
        { accountId, credits: 5 },
        { accountId, credits: 6, keyHash: 'mixed' },
      ])
      const { keyHashes } = Object(batch)
      const claims = { requestHashes: keyHashes, keyTtlSeconds: 600, ttlSeconds: 60 }
      const reserved = await ask('ReserveBatch', { batch: { ...batch, ...claims } })
      const kept = { answers: [null, answer], bodies: [null, 'sealed'] }
      return [reserved, await ask('SettleBatch', { batch: { ...batch, ...kept } })]
    },
  },
  {
    title: 'SettleBatch with budgets, whose hold was lost',
    expected: { outcomes: ['captured'], credits: [5], available: [95] },
    async run(ask, accountId) {
      const batch = batchOf([{ accountId, credits: 5 }])
      const of = { spenders: [['key_1']], reservedAts: [new Date()], counts: [5] }
      return ask('SettleBatch', { batch: { ...batch, ...of, isPatient: true } })
    },
  },
  {
    title: 'SettleBatch with lists of different lengths',
    expected: { code: 'INVALID_REQUEST' },
    async run(ask, accountId) {
      return ask('SettleBatch', { batch: { ...batchOf([{ accountId, credits: 5 }]), credits: [] } })
    },
  },
  {
    title: 'RecordUsageBatch',
    expected: [true, [{ external_id: 'team' }, { external_id: null }]],
    async run(ask, accountId) {
      const entries = [usageEntryOf(accountId), usageEntryOf(accountId, { externalId: 'team' })]
      const batch = usageBatchOf(entries)
      const oldest = { oldestRequestId: batch.requestIds[0], oldestMs: batch.arrivedAtMs[0] }
      const epoch = await ask('OpenUsageEpoch', oldest)
      const isRecorded = await ask('RecordUsageBatch', { epoch, batch })
      const rows = await graph.database.query(
        `SELECT method, endpoint, route, service, status, credits, latency_ms, external_id
         FROM usage.usage_log WHERE account_id = $1 ORDER BY external_id`,
        [accountId],
      )
      return [isRecorded, rows]
    },
  },
]

describe('a batch of this process, whose variables are not looked at', () => {
  test.each(cases)(
    '$title: has the answer and the rows of one from another process',
    async ({ run, expected }) => {
      const [one, other] = [await openAccount(100), await openAccount(100)]

      const own = [await run(askAs(true), one), await stateOf(one)]
      const foreign = [await run(askAs(false), other), await stateOf(other)]

      expect(own).toEqual(foreign)
      expect(own).toMatchObject([expected, {}])
    },
  )

  const direct = ['ReserveBatch', 'SettleBatch', 'RecordUsageBatch'] as const
  const caller: Caller = {
    ...serviceCaller(),
    ...{ kind: 'account', accountId: 'acct_1', keyId: 'key_1', scopes: ['*'], address: null },
  }

  test.each(direct)('%s: is forbidden for whoever is not a service', async (operation) => {
    const asking = graph.as<OperationName>(operation, { batch: {}, epoch: 1 }, caller)

    await expect(asking).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})
