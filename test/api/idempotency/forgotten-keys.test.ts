import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

describe('forgetIdempotencyKeys', () => {
  let graph: TestGraph
  beforeAll(async () => {
    graph = await openTestGraph()
  })
  afterAll(() => graph.close())

  test('keeps a key for one minute more, because a retry may be reading its answer', async () => {
    const store = (keyHash: string, secondsAgo: number) =>
      graph.database.query(
        `WITH claim AS (
           INSERT INTO account.key_claim (account_id, environment, key_hash, request_hash,
             request_id, lease_expires_at, expires_at)
           VALUES ($1, 'live', $2, '', 'req_' || $2, now(), now() - make_interval(secs => $3))
           RETURNING *)
         INSERT INTO account.key_answer (request_id, account_id, answer, body)
         SELECT request_id, account_id, '{}', '' FROM claim`,
        [newId('acct'), keyHash, secondsAgo],
      )
    await store('live', -3600)
    await store('over', 0)
    await store('long over', 61)

    const forgotten = await graph.asService('ForgetIdempotencyKeys', { limit: 10 })

    const left = await graph.database.query('SELECT key_hash FROM account.key_claim')
    const answers = await graph.database.query('SELECT request_id FROM account.key_answer')
    expect(forgotten).toBe(1)
    expect(left).toEqual([{ key_hash: 'live' }, { key_hash: 'over' }])
    expect(answers).toEqual([{ request_id: 'req_live' }, { request_id: 'req_over' }])
  })

  test('reports that more is left as long as it is, for both kinds of keys', async () => {
    await graph.database.query(
      `INSERT INTO account.key_claim (account_id, environment, key_hash, request_hash,
         request_id, lease_expires_at, expires_at)
       SELECT 'acct', 'live', 'k' || n, '', 'req_' || n, now(), now() - interval '2 min'
       FROM generate_series(1, 25) n`,
    )
    await graph.database.query(
      `INSERT INTO account.done_change (account_id, environment, reference, action, request,
         expires_at)
       SELECT 'acct', 'live', 'c' || n, 'test.do', '{}', now() - interval '2 min'
       FROM generate_series(1, 3) n`,
    )

    const counts: number[] = []
    for (let count = 10; count >= 10; ) {
      count = Number(await graph.asService('ForgetIdempotencyKeys', { limit: 10 }))
      counts.push(count)
    }

    expect(counts).toEqual([13, 10, 5])
  })
})
