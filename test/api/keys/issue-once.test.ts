import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

interface Owner {
  readonly accountId: string
  readonly environment: 'live' | 'sandbox'
  /** The account's first key, which issues the others. */
  readonly keyId: string
}

interface Issued {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly plaintext: string
}

const hour = 3600

/** One attempt of a request with an idempotency key. */
async function issue(
  owner: Owner,
  reference: string,
  options: { name?: string; id?: string; seconds?: number } = {},
) {
  const { name = 'New', id: requestId = newId('req'), seconds = hour } = options
  const origin = { requestId, traceId: '', address: null }
  const caller = { ...owner, ...origin, scopes: ['*'] }
  const variables = { name, once: { reference, seconds } }
  const issued = await graph.as('IssueApiKey', variables, { ...caller, kind: 'account' })
  return issued as Issued
}

/** The clock is PostgreSQL's: instead of waiting, the key is made older. */
const agedBy = (seconds: number) =>
  `created_at = created_at - interval '${seconds} s',
   issue_ref_until = issue_ref_until - interval '${seconds} s'`

async function letPass({ id }: Issued, seconds: number): Promise<void> {
  await graph.database.query(`UPDATE keys.api_key SET ${agedBy(seconds)} WHERE id = $1`, [id])
}

/** An account with its first keys, as its live one. */
async function newOwner(): Promise<Owner> {
  const input = { name: 'Test', email: 'test@example.com', tier: 'STARTER', credits: 0 }
  const { account } = Object(await graph.asAdmin('CreateAccount', { input }))
  return ownerOf(account.id, 'live')
}

async function ownerOf(accountId: string, environment: 'live' | 'sandbox'): Promise<Owner> {
  const [key] = await graph.database.query<{ id: string }>(
    'SELECT id FROM keys.api_key WHERE account_id = $1 AND environment = $2',
    [accountId, environment],
  )
  return { accountId, environment, keyId: key?.id ?? '' }
}

async function works({ plaintext }: Issued): Promise<boolean> {
  const rows = await graph.database.query<object>(
    'SELECT id FROM keys.api_key WHERE secret_hash = $1 AND revoked_at IS NULL',
    [sha256(plaintext)],
  )
  return rows.length > 0
}

async function keysOf({ accountId }: Owner): Promise<string[]> {
  const rows = await graph.database.query<{ name: string }>(
    "SELECT name FROM keys.api_key WHERE account_id = $1 AND name <> 'First key' ORDER BY id",
    [accountId],
  )
  return rows.map(({ name }) => name)
}

describe('issueApiKey with a reference', () => {
  test('replaces the secret of the key that an earlier attempt has left', async () => {
    const owner = await newOwner()
    const reference = randomUUID()

    const first = await issue(owner, reference)
    const second = await issue(owner, reference, { name: 'Again' })

    expect(second).toMatchObject({ id: first.id, name: 'Again' })
    expect(Date.parse(second.created_at)).toBeGreaterThanOrEqual(Date.parse(first.created_at))
    expect([await works(first), await works(second)]).toEqual([false, true])
    expect(await keysOf(owner)).toEqual(['Again'])
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

  test('leaves the key of a later attempt alone, because its secret may be in use', async () => {
    const owner = await newOwner()
    const reference = randomUUID()
    const [early, late] = [newId('req'), newId('req')]

    const kept = await issue(owner, reference, { id: late })
    const stray = await issue(owner, reference, { id: early })

    expect(stray.id).not.toBe(kept.id)
    expect(await works(kept)).toBe(true)
  })

  test('judges the age of a key by the retention at the time of its answer, not by the current retention', async () => {
    const owner = await newOwner()
    const reference = randomUUID()
    const first = await issue(owner, reference)
    await letPass(first, hour)

    const second = await issue(owner, reference, { seconds: 2 * hour })
    await letPass(second, hour)
    const third = await issue(owner, reference, { seconds: hour })

    expect(second.id).not.toBe(first.id)
    expect(third.id).toBe(second.id)
    expect(await works(first)).toBe(true)
  })

  test.each([
    ['is so old that it may have been answered', agedBy(hour)],
    ['was revoked', 'revoked_at = now()'],
    ['was replaced', 'replaced_by = id'],
  ])('leaves a key alone that %s, and issues another', async (_, change) => {
    const owner = await newOwner()
    const reference = randomUUID()
    const first = await issue(owner, reference)
    await graph.database.query(`UPDATE keys.api_key SET ${change} WHERE id = $1`, [first.id])

    const second = await issue(owner, reference, { name: 'Second' })
    const third = await issue(owner, reference, { name: 'Third' })

    expect(second.id).not.toBe(first.id)
    expect(third.id).toBe(second.id)
    expect(await keysOf(owner)).toEqual(['New', 'Third'])
    expect(await works(first)).toBe(!change.startsWith('revoked'))
  })
})
