import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { InternalRole } from '../../../schema/credentials/caller.ts'
import { sharedGateway, type TestAccount, type TestGateway } from '../../support/gateway/gateway.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

/** Far above any threshold in here: nothing is ever bought. */
const open = () => gateway.createAccount({ credits: 1_000_000 })

const setUp = {
  enabled: true,
  threshold_credits: 100,
  package_id: 'pack_starter',
  monthly_cap_cents: 5000,
}
const stored = {
  enabled: true,
  thresholdCredits: 100,
  packageId: 'pack_starter',
  monthlyCapCents: 5000,
  state: 'idle',
  lastRechargeAt: null,
  failureReason: null,
}
const members = Object.keys(stored).join(' ')

async function configure(account: TestAccount, body: object): Promise<void> {
  const options = { method: 'PATCH', body, key: account.liveKey }
  const { status } = await gateway.live.request('/v1/account/auto-recharge', options)
  expect(status).toBe(200)
}

let keys = 0
/** An unused idempotency key. */
function newKey(): string {
  keys += 1
  return `key ${keys}`
}

async function ask(role: InternalRole, account: TestAccount, input: object) {
  const query = `mutation ($id: ID!, $input: AutoRechargeInput!) {
    result: configureAutoRecharge(accountId: $id, input: $input) { ${members} }
  }`
  const variables = { id: account.id, input: { idempotencyKey: newKey(), ...input } }
  const token = await gateway.internalToken(role)
  const { body } = await gateway.internal.post('/graphql', { query, variables }, token)
  const { data, errors } = Object(body)
  return { result: data?.result ?? null, errors }
}

async function stateOf({ id }: TestAccount): Promise<object> {
  const { account } = Object(
    await gateway.graphql(`query ($id: ID!) { account(id: $id) { autoRecharge { ${members} } } }`, {
      id,
    }),
  )
  return account.autoRecharge
}

/** The trail's lines about the set-up, oldest first, once there are so many. Jobs record them in any order. */
async function linesOf({ id }: TestAccount, count: number): Promise<object[]> {
  const query = `SELECT actor_role, result, details FROM usage.audit_event
    WHERE account_id = $1 AND action = 'auto_recharge.update' ORDER BY occurred_at, id`
  await vi.waitUntil(
    async () => (await gateway.database.query(query, [id])).length >= count,
    patience,
  )
  return gateway.database.query(query, [id])
}

async function suspend({ id }: TestAccount): Promise<void> {
  await gateway.database.query(
    `UPDATE account.auto_recharge SET state = 'suspended', declines = 3, failure_reason = 'Declined.'
     WHERE account_id = $1 AND environment = 'live'`,
    [id],
  )
}
const suspended = { ...stored, state: 'suspended', failureReason: 'Declined.' }

interface Refused {
  readonly name: string
  readonly before: object
  readonly input: object
  readonly message: string
}

const refused: readonly Refused[] = [
  {
    name: 'turn it on',
    before: { ...setUp, enabled: false },
    input: { enabled: true },
    message: 'enabled may only be turned off',
  },
  {
    name: 'raise the threshold',
    before: setUp,
    input: { thresholdCredits: 101 },
    message: 'thresholdCredits may only be lowered',
  },
  {
    name: 'set a threshold where there is none',
    before: { package_id: 'pack_starter' },
    input: { thresholdCredits: 1 },
    message: 'thresholdCredits may only be lowered',
  },
  {
    name: 'raise the cap',
    before: setUp,
    input: { monthlyCapCents: 5001 },
    message: 'monthlyCapCents may only be lowered',
  },
  {
    name: 'remove the cap',
    before: setUp,
    input: { monthlyCapCents: null },
    message: 'monthlyCapCents may only be lowered',
  },
  {
    name: 'choose another package',
    before: setUp,
    input: { packageId: 'pack_growth' },
    message: 'packageId may not be another',
  },
  {
    name: 'hide one of these behind what it may',
    before: setUp,
    input: { enabled: false, thresholdCredits: 50, monthlyCapCents: 6000, packageId: 'pack_scale' },
    message: 'packageId may not be another; monthlyCapCents may only be lowered',
  },
]

describe('configureAutoRecharge by support', () => {
  test.each(refused)('is refused when it would $name', async ({ before, input, message }) => {
    const account = await open()
    await configure(account, before)
    const state = await stateOf(account)

    const { result, errors } = await ask('support', account, input)

    expect(result).toBeNull()
    expect(errors).toEqual([
      expect.objectContaining({
        message: `This role cannot spend a customer's money: ${message}.`,
        extensions: expect.objectContaining({ code: 'FORBIDDEN' }),
      }),
    ])
    expect(await stateOf(account)).toEqual(state)
    const lines = await linesOf(account, 2)
    expect(lines.slice(1)).toEqual([{ actor_role: 'support', result: 'FORBIDDEN', details: {} }])
  })

  test.each([
    { input: { enabled: false }, after: { ...stored, enabled: false } },
    { input: { thresholdCredits: 99 }, after: { ...stored, thresholdCredits: 99 } },
    { input: { monthlyCapCents: 4999 }, after: { ...stored, monthlyCapCents: 4999 } },
    {
      input: { enabled: false, thresholdCredits: null, packageId: null },
      after: { ...stored, enabled: false, thresholdCredits: null, packageId: null },
    },
    { input: { enabled: true, thresholdCredits: 100, packageId: 'pack_starter' }, after: stored },
  ])('may turn it off and lower its numbers: $input', async ({ input, after }) => {
    const account = await open()
    await configure(account, setUp)

    const { result, errors } = await ask('support', account, input)

    expect(errors).toBeUndefined()
    expect(result).toEqual(after)
    expect(await stateOf(account)).toEqual(after)
    const lines = await linesOf(account, 2)
    expect(lines[1]).toEqual({ actor_role: 'support', result: 'succeeded', details: input })
  })

  test('may set a cap where none was set', async () => {
    const account = await open()
    await configure(account, { ...setUp, monthly_cap_cents: null })

    const { result } = await ask('support', account, { monthlyCapCents: 9000 })

    expect(result).toEqual({ ...stored, monthlyCapCents: 9000 })
  })

  test('does not try a declined card again, whatever it changes', async () => {
    const account = await open()
    await configure(account, setUp)
    await suspend(account)

    const nothing = await ask('support', account, {})
    const lower = await ask('support', account, { thresholdCredits: 50 })
    const on = await ask('support', account, { enabled: true })

    expect(nothing.result).toEqual(suspended)
    expect(lower.result).toEqual({ ...suspended, thresholdCredits: 50 })
    expect(on.errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('enabled may only be turned off'),
      }),
    ])
    expect(await stateOf(account)).toEqual({ ...suspended, thresholdCredits: 50 })
  })

  test('is checked against the values stored at the time of the change, also if the holder changes them meanwhile', async () => {
    const accounts = await Promise.all(Array.from({ length: 10 }, open))
    await Promise.all(accounts.map((account) => configure(account, setUp)))

    const answers = await Promise.all(
      accounts.map(async (account) => {
        const [, support] = await Promise.all([
          configure(account, { threshold_credits: 50 }),
          ask('support', account, { thresholdCredits: 80 }),
        ])
        return support
      }),
    )

    for (const { result, errors } of answers) {
      if (errors) expect(errors[0].extensions.code).toBe('FORBIDDEN')
      else expect(result).toEqual({ ...stored, thresholdCredits: 80 })
    }
    for (const account of accounts) {
      expect(await stateOf(account)).toEqual({ ...stored, thresholdCredits: 50 })
    }
  })
})

describe('configureAutoRecharge by admin', () => {
  test('may turn it on and raise its numbers, also after declines had turned it off', async () => {
    const account = await open()
    await configure(account, setUp)
    await suspend(account)
    const input = { enabled: true, thresholdCredits: 500, monthlyCapCents: null }

    const { result } = await ask('admin', account, input)

    expect(result).toEqual({ ...stored, thresholdCredits: 500, monthlyCapCents: null })
  })
})

describe.each(['support', 'admin'] as const)('configureAutoRecharge by %s', (role) => {
  test.each([null, '', 'x'.repeat(256)])(
    'changes nothing without an idempotency key: %j',
    async (idempotencyKey) => {
      const account = await open()
      await configure(account, setUp)

      const { result, errors } = await ask(role, account, { enabled: false, idempotencyKey })

      expect(result).toBeNull()
      expect(errors).toEqual([
        expect.objectContaining({
          message: 'idempotencyKey: must have 1 to 255 characters',
          extensions: expect.objectContaining({ code: 'INVALID_REQUEST' }),
        }),
      ])
      expect(await stateOf(account)).toEqual(stored)
      const lines = await linesOf(account, 2)
      // The line of the change before is written by a job, which may come after it.
      expect(lines).toContainEqual({ actor_role: role, result: 'INVALID_REQUEST', details: {} })
    },
  )

  test('gives the same answer for one key, and changes once', async () => {
    const account = await open()
    await configure(account, setUp)
    const input = { thresholdCredits: 50, idempotencyKey: newKey() }

    const first = await ask(role, account, input)
    await configure(account, { threshold_credits: 10 })
    const again = await ask(role, account, input)

    expect(first.result).toEqual({ ...stored, thresholdCredits: 50 })
    expect(again).toEqual(first)
    expect(await stateOf(account)).toEqual({ ...stored, thresholdCredits: 10 })
    expect(await linesOf(account, 3)).toHaveLength(3)
  })

  test('refuses one key for another change, and accepts it for another account', async () => {
    const [account, other] = [await open(), await open()]
    await configure(account, setUp)
    await configure(other, setUp)
    const idempotencyKey = newKey()
    await ask(role, account, { thresholdCredits: 50, idempotencyKey })

    const changed = await ask(role, account, { thresholdCredits: 40, idempotencyKey })
    const elsewhere = await ask(role, other, { thresholdCredits: 40, idempotencyKey })

    expect(changed.errors).toEqual([
      expect.objectContaining({
        message: 'idempotencyKey: was used before for another request',
        extensions: expect.objectContaining({ code: 'INVALID_REQUEST' }),
      }),
    ])
    expect(await stateOf(account)).toEqual({ ...stored, thresholdCredits: 50 })
    expect(elsewhere.result).toEqual({ ...stored, thresholdCredits: 40 })
  })
})
