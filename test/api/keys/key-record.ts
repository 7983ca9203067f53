import { expect } from 'vitest'
import type { TestClient, TestResponse } from '../../support/requests/client.ts'

/** A key as REST shows it. */
export interface KeyRecord {
  readonly id: string
  readonly name: string
  readonly environment: string
  readonly prefix: string
  readonly last4: string
  readonly scopes: readonly string[]
  readonly ip_allowlist: readonly string[]
  readonly status: string
  readonly expires_at: string | null
  readonly last_used_at: string | null
  readonly created_at: string
  readonly revoked_at: string | null
  readonly replaced_by: string | null
  readonly enabled: boolean
  readonly external_id: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly created_by: string
  readonly budgets: readonly object[]
}

/** The members of a key for which the request said nothing. */
export const unsaid = { enabled: true, external_id: null, metadata: {}, budgets: [] }

const path = '/v1/account/keys'

export const instant = expect.stringMatching(/^\d{4}-.*Z$/)

/** For `toEqual`: when it was last used is written in batches, so it may be there or not yet. */
export const anyUse = expect.toSatisfy((at) => at === null || typeof at === 'string')

export async function createKey(
  client: TestClient,
  key: string,
  details: object = {},
): Promise<KeyRecord & { readonly plaintext: string }> {
  const { status, body } = await client.post(path, { name: 'New', ...details }, key)
  expect(status).toBe(201)
  return Object(body)
}

export async function getKey(client: TestClient, key: string, id: string): Promise<KeyRecord> {
  const { status, body } = await client.get(`${path}/${id}`, key)
  expect(status).toBe(200)
  return Object(body)
}

export function patchKey(
  client: TestClient,
  key: string,
  id: string,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<TestResponse> {
  return client.request(`${path}/${id}`, { method: 'PATCH', key, body, headers })
}

export function deleteKey(client: TestClient, key: string, id: string): Promise<TestResponse> {
  return client.request(`${path}/${id}`, { method: 'DELETE', key })
}

export function rotateKey(
  client: TestClient,
  key: string,
  id: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Promise<TestResponse> {
  return client.request(`${path}/${id}/rotate`, { method: 'POST', key, body, headers })
}

/** The status of a call with this key. */
export async function statusOf(client: TestClient, key: string): Promise<number> {
  return (await client.get('/v1/account', key)).status
}

export const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString()

export const invalidKey = {
  status: 401,
  code: 'INVALID_API_KEY',
  message: 'This API key is not valid here.',
} as const

export const notFound = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'No API key has this id.',
} as const

/** The 403 that names what a calling key lacks. */
export const lacks = (...scopes: readonly string[]) =>
  ({
    status: 403,
    code: 'FORBIDDEN',
    message: `The calling key lacks the scope ${scopes.join(', ')}.`,
  }) as const

export const conflict = (message: string) => ({ status: 409, code: 'CONFLICT', message }) as const

/** The 403 that names the limits of a calling key that another key would not have. */
export const lessLimited = (...limits: readonly string[]) =>
  ({
    status: 403,
    code: 'FORBIDDEN',
    message: `The calling key is limited in ${limits.join(' and ')}: a key that it issues, changes or rotates must be limited at least as much.`,
  }) as const
