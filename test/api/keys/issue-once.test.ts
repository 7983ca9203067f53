import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

interface KeyHolder {
  readonly accountId: string
  readonly environment: 'live' | 'sandbox'
  /** The account's first key, which issues the others. */
  readonly keyId: string
  /** The facade derives it from that key and the idempotency key. */
  readonly replayKey?: string
}

const newReplayKey = () => randomBytes(32).toString('base64url')

interface Issued {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly plaintext: string
}

const hour = 3600

/** One attempt of a request with an idempotency key. */
async function issue(
  owner: KeyHolder,
  reference: string,
  options: { name?: string; seconds?: number } = {},
) {
  const { name = 'New', seconds = hour } = options
  const origin = { requestId: newId('req'), traceId: '', address: null }
  const caller = { ...owner, ...origin, scopes: ['*'] }
  const variables = { name, once: { reference, seconds } }
  const issued = await graph.as('IssueApiKey', variables, { ...caller, kind: 'account' })
  return issued as Issued
}

/** The clock is PostgreSQL's: instead of waiting, all that was done under a reference is made older. */
async function letPass({ accountId }: KeyHolder, seconds: number): Promise<void> {
  await graph.database.query(
    `UPDATE keys.done_change SET expires_at = expires_at - make_interval(secs => $2)
     WHERE account_id = $1`,
    [accountId, seconds],
  )
  await graph.database.query(
    `UPDATE keys.api_key SET created_at = created_at - make_interval(secs => $2)
     WHERE account_id = $1`,
    [accountId, seconds],
  )
}

/** An account with its first keys, as its live one. */
async function newOwner(): Promise<KeyHolder> {
  const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 0 }
  const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
  return ownerOf(account.id, 'live')
}

async function ownerOf(accountId: string, environment: 'live' | 'sandbox'): Promise<KeyHolder> {
  const [key] = await graph.database.query<{ id: string }>(
    'SELECT id FROM keys.api_key WHERE account_id = $1 AND environment = $2',
    [accountId, environment],
  )
  return { accountId, environment, keyId: key?.id ?? '', replayKey: newReplayKey() }
}

async function works({ plaintext }: Issued): Promise<boolean> {
  const rows = await graph.database.query<object>(
    'SELECT id FROM keys.api_key WHERE secret_hash = $1 AND revoked_at IS NULL',
    [sha256(plaintext)],
  )
  return rows.length > 0
}

async function keysOf({ accountId }: KeyHolder): Promise<string[]> {
  const rows = await graph.database.query<{ name: string }>(
    "SELECT name FROM keys.api_key WHERE account_id = $1 AND name <> 'First key' ORDER BY id",
    [accountId],
  )
  return rows.map(({ name }) => name)
}

const conflict = { code: 'IDEMPOTENCY_CONFLICT' }

describe('issueApiKey with a reference', () => {
  test('shows the key and the secret of the first attempt again', async () => {
    const owner = await newOwner()
    const reference = randomUUID()

    const first = await issue(owner, reference)
    const second = await issue(owner, reference)

    expect(second).toEqual(first)
    expect(await works(first)).toBe(true)
    expect(await keysOf(owner)).toEqual(['New'])
  })

  test('issues one key to twenty attempts at once, and shows all of them the same secret', async () => {
    const owner = await newOwner()
    const reference = randomUUID()

    const issued = await Promise.all(Array.from({ length: 20 }, () => issue(owner, reference)))

    expect(new Set(issued.map(({ plaintext }) => plaintext)).size).toBe(1)
    expect(await keysOf(owner)).toEqual(['New'])
  })

  test('is refused for another request', async () => {
    const owner = await newOwner()
    const reference = randomUUID()
    await issue(owner, reference)

    const other = issue(owner, reference, { name: 'Other' })

    await expect(other).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(await keysOf(owner)).toEqual(['New'])
  })

  test('issues another key for another reference, account or environment, or without one', async () => {
    const owner = await newOwner()
    const reference = randomUUID()

    const issued = [
      await issue(owner, reference),
      await issue(owner, randomUUID()),
      await issue(await newOwner(), reference),
      await issue(await ownerOf(owner.accountId, 'sandbox'), reference),
    ]

    expect(new Set(issued.map(({ id }) => id)).size).toBe(4)
    for (const key of issued) expect(await works(key)).toBe(true)
  })

  test('keeps the secret sealed: it opens for nobody with another credential', async () => {
    const owner = await newOwner()
    const reference = randomUUID()

    const first = await issue(owner, reference)
    const foreign = issue({ ...owner, replayKey: newReplayKey() }, reference)

    await expect(foreign).rejects.toMatchObject(conflict)
    const [stored] = await graph.database.query<{ row: string }>(
      'SELECT d::text AS row FROM keys.done_change d WHERE account_id = $1',
      [owner.accountId],
    )
    expect(stored?.row).toContain('sealed')
    expect(stored?.row).not.toContain(first.plaintext.slice('svc_live_'.length))
    expect(await works(first)).toBe(true)
    expect(await keysOf(owner)).toEqual(['New'])
  })

  test('opens no result that was sealed for another reference', async () => {
    const owner = await newOwner()
    const [mine, yours] = [randomUUID(), randomUUID()]
    await issue(owner, mine)
    await issue(owner, yours)
    await graph.database.query(
      `UPDATE keys.done_change d SET result = o.result FROM keys.done_change o
       WHERE d.account_id = $1 AND o.account_id = $1 AND o.reference <> d.reference`,
      [owner.accountId],
    )

    await expect(issue(owner, mine)).rejects.toMatchObject(conflict)
  })

  test('issues another key once the first is no longer remembered, however long keys are remembered now', async () => {
    const owner = await newOwner()
    const reference = randomUUID()
    const first = await issue(owner, reference)
    await letPass(owner, hour)

    const second = await issue(owner, reference, { seconds: 2 * hour })
    await letPass(owner, hour)
    const third = await issue(owner, reference, { seconds: hour })

    expect(second.id).not.toBe(first.id)
    expect(third).toMatchObject({ id: second.id, plaintext: second.plaintext })
    expect([await works(first), await works(second)]).toEqual([true, true])
  })

  test.each([
    ['was revoked', 'revoked_at = now()', 'revoked'],
    ['was replaced', 'replaced_by = id', 'active'],
  ])(
    'shows a key that %s as it is now, as every answer that is kept',
    async (_, change, status) => {
      const owner = await newOwner()
      const reference = randomUUID()
      const first = await issue(owner, reference)
      await graph.database.query(`UPDATE keys.api_key SET ${change} WHERE id = $1`, [first.id])

      const second = await issue(owner, reference)

      expect(second).toMatchObject({ id: first.id, plaintext: first.plaintext, status })
      expect(await keysOf(owner)).toEqual(['New'])
    },
  )

  test('is forgotten once its time is over, whatever else there is to forget', async () => {
    const owner = await newOwner()
    await issue(owner, randomUUID())
    await issue(owner, randomUUID())
    await letPass(owner, hour)
    await issue(owner, randomUUID())

    const counts = [
      await graph.asService('ForgetInternalTokens', { limit: 1 }),
      await graph.asService('ForgetInternalTokens', { limit: 500 }),
    ]

    const left = await graph.database.query<object>(
      'SELECT 1 FROM keys.done_change WHERE account_id = $1',
      [owner.accountId],
    )
    expect(counts[0]).toBe(1)
    expect(left).toHaveLength(1)
  })

  test('is shown to nobody again if the caller brought no key to seal it with', async () => {
    const { replayKey: _, ...owner } = await newOwner()
    const reference = randomUUID()
    const first = await issue(owner, reference)

    await expect(issue(owner, reference)).rejects.toMatchObject(conflict)
    await expect(issue({ ...owner, replayKey: newReplayKey() }, reference)).rejects.toMatchObject(
      conflict,
    )
    expect(await works(first)).toBe(true)
    expect(await keysOf(owner)).toEqual(['New'])
  })
})
