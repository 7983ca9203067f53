import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  // The account subgraph fails at every change of these budgets.
  await gateway.database.query(
    `CREATE FUNCTION account.fail_budget() RETURNS trigger LANGUAGE plpgsql AS
     'BEGIN RAISE EXCEPTION ''a fault''; END'`,
  )
})
afterAll(() => gateway.close())

let broken = 0
beforeEach(() => {
  broken += 1
})

function breakBudgetsOf(accountId: string): Promise<unknown> {
  return gateway.database.query(
    `CREATE TRIGGER broken_${broken} BEFORE INSERT OR UPDATE ON account.budget
     FOR EACH ROW WHEN (NEW.account_id = '${accountId}') EXECUTE FUNCTION account.fail_budget()`,
  )
}

/** Lines about these actions, once there are so many. */
async function linesOf(accountId: string, action: string, count: number): Promise<unknown[]> {
  const read = () =>
    gateway.database.query<{ result: string; details: object }>(
      `SELECT result, details FROM usage.audit_event
       WHERE account_id = $1 AND action = $2 ORDER BY id`,
      [accountId, action],
    )
  await vi.waitUntil(async () => (await read()).length >= count, patience)
  return read()
}

const budgets = [{ period: 'day', limit_credits: 5 }]

test('the line of a reset is in the transaction of the reset', async () => {
  const { id: accountId, liveKey } = await gateway.createAccount()
  const issued = await gateway.live.post('/v1/account/keys', { name: 'Team', budgets }, liveKey)
  const { id } = Object(issued.body)
  const reset = () =>
    gateway.live.post(`/v1/account/keys/${id}/budgets/day/reset`, undefined, liveKey)
  expect((await reset()).status).toBe(200)
  await breakBudgetsOf(accountId)

  const failed = await reset()

  expect(failed.status).toBe(500)
  expect(await linesOf(accountId, 'key.reset_budget', 2)).toEqual([
    { result: 'succeeded', details: { period: 'day' } },
    { result: 'INTERNAL_ERROR', details: {} },
  ])
})

test('the line of a change of the budgets of an external id is in the transaction of the change', async () => {
  const { id: accountId, liveKey } = await gateway.createAccount()
  const change = () =>
    gateway.live.request('/v1/account/external-ids/team/budgets', {
      ...{ method: 'PUT', key: liveKey, body: { budgets } },
    })
  expect((await change()).status).toBe(200)
  await breakBudgetsOf(accountId)

  const failed = await change()

  expect(failed.status).toBe(500)
  expect(await linesOf(accountId, 'external_id.update', 2)).toEqual([
    { result: 'succeeded', details: { budgets } },
    { result: 'INTERNAL_ERROR', details: {} },
  ])
})
