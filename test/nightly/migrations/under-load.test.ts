import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { migrate } from '../../../subgraphs/shared/migrating/migrate.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { startLoad, wishesOf } from '../../support/load/load.ts'
import { indexStepOf, laterAccount, stepOf } from '../../support/migrations/steps.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.close())

/** The next release of what every charged call reads and writes. */
const nextAccount = laterAccount(
  stepOf('Column0901', 'ALTER TABLE account.balance ADD COLUMN later integer NOT NULL DEFAULT 0'),
  stepOf('Column0902', 'ALTER TABLE account.hold ADD COLUMN later text'),
  indexStepOf('Index0903', {
    ...{ table: 'account.ledger_entry', index: 'ledger_entry_later' },
    definition: '(account_id, kind, seq)',
  }),
  stepOf(
    'Constraint0904',
    'ALTER TABLE account.ledger_entry ADD CONSTRAINT later CHECK (credits <> 0) NOT VALID',
  ),
  stepOf('Valid0905', 'ALTER TABLE account.ledger_entry VALIDATE CONSTRAINT later'),
)
const nextUsage = {
  ...usage,
  migrations: [
    ...usage.migrations,
    indexStepOf('Index0901', {
      ...{ table: 'usage.usage_log', index: 'usage_log_later' },
      definition: '(account_id, trace_id)',
    }),
  ],
}

/** A migrator gives way after two seconds; a request that waits for longer fails. */
const longestWaitMs = 4500

test('charged calls continue while columns, indexes and constraints are added to their tables', async () => {
  const accounts = await Promise.all(
    Array.from({ length: 4 }, () => gateway.createAccount({ credits: 100_000 })),
  )
  let isEnough = false
  let maxWaitMs = 0
  const load = startLoad(
    wishesOf(accounts, 50_000, () => isEnough),
    { urlOf: () => gateway.baseUrl, clients: 8, answerPatienceMs: 30_000, patienceMs: 60_000 },
  )
  const goOn = async (calls: number) => {
    const enough = load.fulfilled() + calls
    await vi.waitUntil(() => load.fulfilled() >= enough, patience)
  }
  const watch = setInterval(() => {
    void longestWait().then((waitMs) => {
      maxWaitMs = Math.max(maxWaitMs, waitMs)
    })
  }, 50)

  await goOn(100)
  const applied = await migrate([nextAccount, nextUsage], gateway.database.ownerUrl)
  await goOn(100)
  isEnough = true
  const fulfilments = await load.done
  clearInterval(watch)

  expect(applied).toHaveLength(6)
  expect([...load.answers.keys()].filter((answer) => !/^(200|429)/.test(answer))).toEqual([])
  expect(load.malformed).toEqual([])
  expect(new Set(fulfilments.map(({ charged }) => charged))).toEqual(new Set(['5']))
  expect(maxWaitMs).toBeLessThan(longestWaitMs)
  const made = await gateway.database.query(
    `SELECT to_regclass('account.ledger_entry_later') IS NOT NULL AS index,
       (SELECT bool_and(indisvalid) FROM pg_partition_tree('usage.usage_log_later')
        JOIN pg_index ON indexrelid = relid) AS partitions,
       (SELECT convalidated FROM pg_constraint WHERE conname = 'later') AS constraint`,
  )
  expect(made).toEqual([{ index: true, partitions: true, constraint: true }])
  await expectExactBooks(gateway)
})

async function longestWait(): Promise<number> {
  const [row] = await gateway.database.query<{ wait_ms: number }>(
    `SELECT coalesce(max(extract(epoch FROM clock_timestamp() - waitstart) * 1000), 0)::int AS wait_ms
     FROM pg_locks WHERE locktype = 'relation' AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  return row?.wait_ms ?? 0
}
