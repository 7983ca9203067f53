import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { migrateAll } from '../../../gateway/launch/databases/migrations.ts'
import { openGraph } from '../../../gateway/launch/supergraph/graph.ts'
import { startEmbeddedPostgres } from '../../../gateway/trial/embedded-postgres/embedded-postgres.ts'
import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { deriveKey } from '../../../schema/credentials/secrets.ts'
import type { OperationName } from '../../../schema/generated/operations.ts'
import { lowestId, newId } from '../../../schema/vocabulary/ids.ts'
import { cursorCodec } from '../../../subgraphs/shared/lists/pagination.ts'
import { explainPage } from '../../../test/support/database/explain-page.ts'
import { fillUsageLog, sumUsageLog } from '../../../test/support/database/usage-rows.ts'
import type { Served } from '../support/child.ts'
import { pageQuestion } from '../support/usage-pages.ts'
import { graphOptions } from './graph-options.ts'

const options = z.object({ rows: z.int(), months: z.int(), keys: z.int() })
const dayMs = 86_400_000
/** Positions that the deep pages begin at, one after the other. */
const depths = 20
const limit = 50

/** P6 and P6b: a usage log of so many rows, with its sums, in a database of its own. */
export async function serve(given: unknown): Promise<Served> {
  const { rows, months, keys } = options.parse(given)
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  const postgres = await startEmbeddedPostgres(folder)
  await migrateAll(postgres.ownerUrl)
  const accountId = newId('acct')
  const startedAtMs = performance.now()
  await fillUsageLog({ ownerUrl: postgres.ownerUrl, accountId, rows, months, keys })
  if (keys > 1) await sumUsageLog(postgres.ownerUrl)
  const buildSeconds = (performance.now() - startedAtMs) / 1000
  const graph = await openGraph({ ...graphOptions, serviceUrl: postgres.serviceUrl })
  for (const operation of graph.operations) await graph.warmUp(operation)
  const caller: AccountCaller = {
    ...{ kind: 'account', accountId, keyId: 'key_bench', scopes: ['*'], environment: 'live' },
    ...{ requestId: newId('req'), traceId: '', address: null },
  }
  const cursorKey = deriveKey(graphOptions.gatewaySecret, 'cursor')
  const cursors = cursorCodec(cursorKey, 'usage-log', `${accountId}/live`)

  function cursorAt(turn: number): string {
    const daysAgo = 5 + ((turn % depths) * 380) / depths
    return cursors.encode(lowestId('req', Date.now() - daysAgo * dayMs))
  }

  return {
    ready: { buildSeconds },
    async answer(asked) {
      const { operation, filter, isDeep, pages, isExplained } = pageQuestion.parse(asked)
      const times: number[] = []
      let items = 0
      for (let turn = 0; turn < pages; turn += 1) {
        const at = isDeep ? { cursor: cursorAt(turn) } : {}
        const form = operation === 'ListUsageLog' ? { ...at, limit } : {}
        const askedAtMs = performance.now()
        const page = await graph.execute<OperationName>(operation, { ...filter, ...form }, caller)
        times.push(performance.now() - askedAtMs)
        items = Object(page).items.length
      }
      times.sort((a, b) => a - b)
      const at = (share: number) => times[Math.ceil(share * times.length) - 1] ?? 0
      const before = isDeep ? lowestId('req', Date.now() - 200 * dayMs) : null
      const plan = isExplained
        ? await explainPage({ serviceUrl: postgres.serviceUrl, accountId, filter: {}, before })
        : ''
      return { p50Ms: at(0.5), p99Ms: at(0.99), items, plan }
    },
    async stop() {
      await graph.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
