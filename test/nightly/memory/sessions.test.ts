import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type OwnPostgres, startOwnPostgres } from '../../support/processes/own-postgres.ts'

let postgres: OwnPostgres

beforeAll(async () => {
  // `npm start` sets this variable for the process of the gateway.
  vi.stubEnv('MALLOC_MMAP_THRESHOLD_', '131072')
  postgres = await startOwnPostgres()
})

afterAll(async () => {
  vi.unstubAllEnvs()
  await postgres.close()
})

/** The pages that the kernel has given to a process so far. */
function pagesGivenTo(pid: number): number {
  const [, state = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  return Number(state.split(' ')[7])
}

test('a session of the embedded PostgreSQL keeps the memory of a statement for the next one', async () => {
  const client = new pg.Client({ connectionString: postgres.database.serviceUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const pid = Number(rows[0]?.pid)
    // With memory that is given back, more than 200 pages each time.
    const work = () => client.query('SELECT array_agg(n) FROM generate_series(1, 20000) AS n')
    await work()
    const before = pagesGivenTo(pid)
    for (let count = 0; count < 50; count += 1) await work()

    expect(pagesGivenTo(pid) - before).toBeLessThan(100)
  } finally {
    await client.end()
  }
})
