import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(() => database.drop())

/** The pages that the kernel has given to a process so far. */
function pagesGivenTo(pid: number): number {
  const [, state = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  return Number(state.split(' ')[7])
}

test('a session of the embedded PostgreSQL keeps the memory of a statement for the next one', async () => {
  const client = new pg.Client({ connectionString: database.serviceUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const pid = Number(rows[0]?.pid)
    // With memory that is given back, some 90 pages each time.
    const work = () => client.query('SELECT array_agg(n) FROM generate_series(1, 5000) AS n')
    await work()
    const before = pagesGivenTo(pid)
    for (let count = 0; count < 50; count += 1) await work()

    expect(pagesGivenTo(pid) - before).toBeLessThan(500)
  } finally {
    await client.end()
  }
})
