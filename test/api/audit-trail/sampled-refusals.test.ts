import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createRefusedCallers,
  type RefusedCallers,
} from '../../../rest-facade/callers/refused-callers.ts'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import type { Call } from '../../../rest-facade/http/call.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'
import { callFrom } from '../../support/gateway/calls.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

function refuse(trail: RefusedCallers, call: () => Call, count: number): void {
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

/** The counts of an anonymous client. */
async function failuresOf(client: string): Promise<number> {
  const [row] = await graph.database.query<{ failures: number }>(
    `SELECT coalesce(sum(failures), 0)::int AS failures FROM usage.anonymous_failure
     WHERE client = $1`,
    [client],
  )
  return Number(row?.failures)
}

/** Time that passes when the test says so. */
function testClock() {
  let nowMs = 0
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { clockMs: () => nowMs, pass }
}

describe('more than 20 refusals of a key at once', () => {
  test('are counted by one line of the next write, whichever keys are refused after them', async () => {
    const trail = createRefusedCallers(graph.as, testClock())
    const [accountId, other] = [newId('acct'), newId('acct')]
    refuse(trail, () => callFrom('192.0.2.1', accountId), 500)
    refuse(trail, () => callFrom('192.0.2.1'), 300)
    refuse(trail, () => callFrom('192.0.2.1', other), 20)

    await trail.write()
    await trail.write()

    expect(await countedOf('account_id = $1', accountId)).toEqual({ lines: 21, refusals: 500 })
    expect(await countedOf('account_id = $1', other)).toEqual({ lines: 20, refusals: 20 })
    expect(await countedOf('address = $1 AND account_id IS NULL', '192.0.2.1')).toEqual({
      ...{ lines: 0, refusals: 0 },
    })
    expect(await failuresOf('192.0.2.1')).toBe(300)
  })

  test('then get one line a second, and one line that counts the others', async () => {
    const clock = testClock()
    const trail = createRefusedCallers(graph.as, clock)
    const accountId = newId('acct')

    for (let second = 0; second < 10; second += 1) {
      refuse(trail, () => callFrom('192.0.2.7', accountId), 50)
      await trail.write()
      clock.pass(1000)
    }

    expect(await countedOf('account_id = $1', accountId)).toEqual({ lines: 39, refusals: 500 })
  })

  test('are all counted in their own account, also for more keys than are told apart', async () => {
    const trail = createRefusedCallers(graph.as, testClock())
    const accountIds = Array.from({ length: 1200 }, () => newId('acct'))
    for (const accountId of accountIds) refuse(trail, () => callFrom('198.51.100.1', accountId), 25)

    await trail.writeAll()

    const own = await countedOf(`account_id = ANY (string_to_array($1, ','))`, accountIds.join())
    const nobodys = await failuresOf('198.51.100.1')
    expect(Number(own?.refusals) + nobodys).toBe(25 * 1200)
    expect(nobodys).toBeGreaterThan(0)
    const [most] = await graph.database.query(
      `SELECT max(refusals)::int AS refusals FROM (
         SELECT count(*) + sum((details ->> 'not_recorded_before')::int) AS refusals
         FROM usage.audit_event WHERE account_id = ANY ($1) GROUP BY account_id
       ) a`,
      [accountIds],
    )
    expect(most).toEqual({ refusals: 25 })
  })

  test('are counted for each account separately, also when one app asks for many', async () => {
    const trail = createRefusedCallers(graph.as, testClock())
    const [accountId, other] = [newId('acct'), newId('acct')]
    const clientId = newId('app')
    const callOf = (id: string) => (): Call => {
      const call = callFrom('192.0.2.3', id)
      return { ...call, caller: call.caller && { ...call.caller, keyId: null, clientId } }
    }
    refuse(trail, callOf(accountId), 100)
    refuse(trail, callOf(other), 30)
    refuse(trail, callOf(accountId), 100)

    await trail.write()

    expect(await countedOf('account_id = $1', accountId)).toEqual({ lines: 21, refusals: 200 })
    expect(await countedOf('account_id = $1', other)).toEqual({ lines: 21, refusals: 30 })
    expect(await countedOf('actor_id = $1', clientId)).toEqual({ lines: 42, refusals: 230 })
  })

  test('are counted also when the database was unavailable at the time of writing', async () => {
    let isUnavailable = true
    const execute: Execute = (...asked) =>
      isUnavailable ? Promise.reject(new Error('It is away.')) : graph.as(...asked)
    const trail = createRefusedCallers(execute, testClock())
    const [address, accountId] = ['203.0.113.5', newId('acct')]
    refuse(trail, () => callFrom(address, accountId), 100)
    refuse(trail, () => callFrom(address), 100)

    await expect(trail.write()).rejects.toThrow('It is away.')
    refuse(trail, () => callFrom(address, accountId), 100)
    refuse(trail, () => callFrom(address), 100)
    isUnavailable = false
    await trail.write()

    expect(await countedOf('account_id = $1', accountId)).toEqual({ lines: 22, refusals: 200 })
    expect(await failuresOf(address)).toBe(200)
  })
})

describe('the lines of refused keys of one process', () => {
  test('are limited to 500 at once and then 10 a second, for any number of accounts; all others are counted', async () => {
    const clock = testClock()
    const trail = createRefusedCallers(graph.as, clock)
    const accountIds = Array.from({ length: 100 }, () => newId('acct'))
    const ours = () => countedOf(`account_id = ANY (string_to_array($1, ','))`, accountIds.join())
    const refuseAll = () => {
      for (const accountId of accountIds) refuse(trail, () => callFrom('192.0.2.9', accountId), 20)
    }

    refuseAll()
    await trail.write()
    expect((await ours())?.lines).toBe(500)
    for (let second = 0; second < 5; second += 1) {
      clock.pass(1000)
      refuseAll()
      await trail.write()
    }

    expect((await ours())?.lines).toBe(550)
    await trail.writeAll()
    expect(await ours()).toEqual({ lines: expect.any(Number), refusals: 6 * 2000 })
    expect((await ours())?.lines).toBeLessThanOrEqual(650)
  })

  test('are half of them at most those of one account, however many keys it has', async () => {
    const clock = testClock()
    const trail = createRefusedCallers(graph.as, clock)
    const [accountId, other] = [newId('acct'), newId('acct')]
    const keyIds = Array.from({ length: 2000 }, () => newId('key'))
    const callOf = (keyId: string) => (): Call => {
      const call = callFrom('192.0.2.11', accountId)
      return { ...call, caller: call.caller && { ...call.caller, keyId } }
    }
    refuse(trail, () => callFrom('192.0.2.12', other), 60)
    for (const keyId of keyIds) refuse(trail, callOf(keyId), 2)
    for (let second = 0; second < 3; second += 1) {
      for (const keyId of keyIds) refuse(trail, callOf(keyId), 1)
      refuse(trail, () => callFrom('192.0.2.12', other), 2)
      await trail.write()
      clock.pass(1000)
    }

    expect((await countedOf('account_id = $1', accountId))?.lines).toBeLessThanOrEqual(250 + 3 * 5)
    expect(await countedOf('account_id = $1', other)).toEqual({ lines: 25, refusals: 66 })
    expect(await failuresOf('192.0.2.12')).toBe(0)
  })
})
