import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AccessTrail, createAccessTrail } from '../../rest-facade/access-trail.ts'
import type { Call } from '../../rest-facade/call.ts'
import type { Execute } from '../../rest-facade/graph-client.ts'
import { newId } from '../../schema/ids.ts'
import { openTestGraph, type TestGraph } from '../support/graph.ts'
import { callerOf } from '../support/planted-tenant.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

const arrivedAt = new Date()

/** All within one second. */
function callFrom(address: string, accountId?: string): Call {
  return {
    ...{ requestId: newId('req'), traceId: '', environment: 'live', arrivedAt },
    ...{ arrivedAtMs: 0, method: 'GET', endpoint: '/v1/x', address },
    ...{
      route: '/v1/x',
      service: 'account',
      backendModule: 'x',
      corsHeaders: {},
      routeHeaders: {},
    },
    caller: accountId === undefined ? null : { ...callerOf(accountId), keyId: `key_${accountId}` },
    ...{ client: null, credential: '', credentialId: '', clientChallenge: '' },
    ...{
      limiter: 'account',
      rateLimitRps: 1,
      rateWindow: null,
      isDispatched: false,
      creditsCharged: 0,
      settling: null,
    },
  }
}

function refuse(trail: AccessTrail, call: () => Call, count: number): void {
  for (let done = 0; done < count; done += 1) trail.note(call(), 'INVALID_API_KEY')
}

interface Counted {
  readonly lines: number
  /** With those that they stand for. */
  readonly refusals: number
}

async function countedOf(condition: string, value: string): Promise<Counted | undefined> {
  const [row] = await graph.database.query<Counted>(
    `SELECT count(*)::int AS lines,
       (count(*) + coalesce(sum((details ->> 'not_recorded_before')::int), 0))::int AS refusals
     FROM usage.audit_event WHERE ${condition}`,
    [value],
  )
  return row
}

describe('refusals above 20 a second of one client', () => {
  test('are counted by one line of the next writing, whoever comes after them', async () => {
    const trail = createAccessTrail(graph.as)
    const accountId = newId('acct')
    refuse(trail, () => callFrom('192.0.2.1', accountId), 500)
    refuse(trail, () => callFrom('192.0.2.1'), 300)
    refuse(trail, () => callFrom('192.0.2.2'), 20)

    await trail.write()
    await trail.write()

    expect(await countedOf('account_id = $1', accountId)).toEqual({ lines: 21, refusals: 500 })
    const anonymous = `actor_kind = 'anonymous' AND address = $1`
    expect(await countedOf(anonymous, '192.0.2.1')).toEqual({ lines: 21, refusals: 300 })
    expect(await countedOf(anonymous, '192.0.2.2')).toEqual({ lines: 20, refusals: 20 })
  })

  test('are all counted, of more clients than are told apart, and in no account but their own', async () => {
    const trail = createAccessTrail(graph.as)
    const accountIds = Array.from({ length: 1200 }, () => newId('acct'))
    for (const accountId of accountIds) refuse(trail, () => callFrom('198.51.100.1', accountId), 25)

    await trail.write()

    const own = await countedOf(`account_id = ANY (string_to_array($1, ','))`, accountIds.join())
    const nobodys = await countedOf(
      `account_id IS NULL AND actor_kind = 'anonymous' AND address = $1`,
      '198.51.100.1',
    )
    expect(Number(own?.refusals) + Number(nobodys?.refusals)).toBe(25 * 1200)
    expect(nobodys?.lines).toBe(1)
    const [most] = await graph.database.query(
      `SELECT max(refusals)::int AS refusals FROM (
         SELECT count(*) + sum((details ->> 'not_recorded_before')::int) AS refusals
         FROM usage.audit_event WHERE account_id = ANY ($1) GROUP BY account_id
       ) a`,
      [accountIds],
    )
    expect(most).toEqual({ refusals: 25 })
  })

  test('are counted also when the database was away when they were to be written', async () => {
    let isAway = true
    const execute: Execute = (...asked) =>
      isAway ? Promise.reject(new Error('It is away.')) : graph.as(...asked)
    const trail = createAccessTrail(execute)
    const address = '203.0.113.5'
    refuse(trail, () => callFrom(address), 100)

    await expect(trail.write()).rejects.toThrow('It is away.')
    refuse(trail, () => callFrom(address), 100)
    isAway = false
    await trail.write()

    expect(await countedOf(`actor_kind = 'anonymous' AND address = $1`, address)).toEqual({
      lines: 22,
      refusals: 200,
    })
  })
})
