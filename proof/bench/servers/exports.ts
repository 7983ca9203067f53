import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { migrateAll } from '../../../gateway/launch/databases/migrations.ts'
import { openGraph } from '../../../gateway/launch/supergraph/graph.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../gateway/trial/embedded-postgres/embedded-postgres.ts'
import type { AccountCaller, ServiceCaller } from '../../../schema/credentials/caller.ts'
import { openFileStorage } from '../../../subgraphs/usage/exports/file-storage/open-file-storage.ts'
import type { Served } from '../support/child.ts'
import { graphOptions } from './graph-options.ts'

const options = z.object({ rows: z.int() })
const question = z.object({ how: z.enum(['export', 'copy']) })

const accountId = 'acct_bench'
const base = { environment: 'live', requestId: '', traceId: '', address: null } as const
const service: ServiceCaller = { ...base, kind: 'service' }
const owner: AccountCaller = {
  ...{ ...base, kind: 'account', accountId },
  ...{ keyId: 'key_bench', scopes: ['*'] },
}

/** P9: one usage log of so many rows, exported as the worker does it. */
export async function serve(given: unknown): Promise<Served> {
  const { rows } = options.parse(given)
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  const postgres = await startEmbeddedPostgres(folder)
  await migrateAll(postgres.ownerUrl)
  await fill(postgres.ownerUrl, rows)
  const files = openFileStorage({ directory: join(folder, 'exports') })
  const graph = await openGraph({
    ...{ ...graphOptions, serviceUrl: postgres.serviceUrl },
    exports: { files, retentionDays: 1 },
  })

  async function exportAll(): Promise<void> {
    const { id } = z
      .object({ id: z.string() })
      .parse(await graph.execute('CreateAuditExport', { kind: 'requests' }, owner))
    await graph.execute('RunAuditExport', { id, attempt: 0 }, service)
    const job = await graph.execute('GetAuditExport', { job_id: id }, owner)
    z.object({ status: z.literal('completed'), row_count: z.literal(rows) }).parse(job)
    await files.remove(`${id}-1.csv`)
  }

  /** Reads all rows and drops them. */
  function copyAll(): Promise<void> {
    return asSuperuser(postgres, (client) =>
      client.query(
        `COPY (SELECT request_id, ts, method, endpoint, service, status, credits, latency_ms,
           trace_id, backend_module FROM usage.usage_log
           WHERE account_id = '${accountId}' AND environment = 'live' ORDER BY request_id DESC)
         TO STDOUT WITH (FORMAT csv, HEADER)`,
      ),
    )
  }

  return {
    ready: null,
    async answer(asked) {
      const { how } = question.parse(asked)
      const rssBefore = process.memoryUsage.rss()
      let rssPeak = rssBefore
      const watch = setInterval(() => {
        rssPeak = Math.max(rssPeak, process.memoryUsage.rss())
      }, 20)
      const startedMs = performance.now()
      await (how === 'export' ? exportAll() : copyAll())
      const seconds = (performance.now() - startedMs) / 1000
      clearInterval(watch)
      return { perSecond: rows / seconds, grownMb: (rssPeak - rssBefore) / 2 ** 20 }
    },
    async stop() {
      await graph.close()
      await files.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** In the gateway's database; row-level security is not the floor's. */
async function asSuperuser(
  { superuserUrl, ownerUrl }: EmbeddedPostgres,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const url = new URL(superuserUrl)
  url.pathname = new URL(ownerUrl).pathname
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** A year of entries of one account. */
async function fill(ownerUrl: string, rows: number): Promise<void> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    options: '-c gateway.account_id=*',
  })
  await client.connect()
  try {
    await client.query(
      `INSERT INTO usage.usage_log (account_id, environment, request_id, ts, method, endpoint,
         service, status, credits, latency_ms, trace_id, backend_module)
       SELECT $1, 'live', 'req_' || lpad(g::text, 26, '0'), now() - ($2 - g) * interval '1 ms',
         'POST', '/v1/contacts/reveal', 'contacts', 200, 5, g % 1000, md5(g::text), 'contact-finder'
       FROM generate_series(1, $2::int) AS g`,
      [accountId, rows],
    )
    await client.query('VACUUM ANALYZE usage.usage_log')
  } finally {
    await client.end()
  }
}
