import { expect } from 'vitest'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { TestDatabase } from '../database/database.ts'
import type { TestAccount } from '../gateway/gateway.ts'
import type { TestClient, TestResponse } from '../requests/client.ts'

type Headers = Readonly<Record<string, string>>

/** A page of the gateway's own origin, in a browser that is signed in. */
export interface Page {
  readonly cookie: string
  readonly sessionId: string
  get(path: string, headers?: Headers): Promise<TestResponse>
  /** A change; without a body, none is sent. */
  send(method: string, path: string, body?: unknown, headers?: Headers): Promise<TestResponse>
}

/** A browser sends this with a request of a page's script to its own origin. */
export const ofOwnPage: Headers = {
  'sec-fetch-site': 'same-origin',
  'sec-fetch-mode': 'cors',
  'sec-fetch-dest': 'empty',
}

export function pageOf(client: TestClient, cookie: string, sessionId: string): Page {
  const own = { cookie, ...ofOwnPage }
  return {
    cookie,
    sessionId,
    get: (path, headers) => client.get(path, undefined, { ...own, ...headers }),
    send: (method, path, body, headers) =>
      client.request(path, { method, body, headers: { ...own, ...headers } }),
  }
}

/** Signs a browser in with a key, or proves the session of `before` anew. */
export async function openPage(client: TestClient, key: string, before?: Page): Promise<Page> {
  const cookies: Headers = before ? { cookie: before.cookie } : {}
  const { status, headers, body } = await client.post('/v1/oauth/session', {}, key, cookies)
  expect([status, body]).toEqual([201, expect.anything()])
  return pageOf(client, cookieOf(headers), Object(body).id)
}

/** The cookie that an answer sets, as a browser sends it. */
export function cookieOf(headers: TestResponse['headers']): string {
  const cookie = /^[^;]+/.exec(headers.get('set-cookie') ?? '')?.[0]
  expect(cookie).toMatch(/^__Host-gw_(sandbox_)?session=./)
  return cookie ?? ''
}

interface PersonOptions {
  readonly role: PersonRole
  readonly actor?: string
  readonly returnUrl?: string | null
  readonly environment?: Environment
  readonly parentId?: string
}

/** A session of a person, as a portal link opens one. */
export async function plantPage(
  { database, ...clients }: Pick<{ database: TestDatabase } & Clients, 'database' | Environment>,
  { id: accountId }: Pick<TestAccount, 'id'>,
  options: PersonOptions,
): Promise<Page> {
  const { role, actor = 'jane@acme.example', environment = 'live' } = options
  const id = newId('ses')
  const secret = newOAuthSecret('svc', 'osn')
  await database.query(
    `INSERT INTO oauth.session (id, secret_hash, account_id, environment, role, actor, return_url,
       parent_id, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + interval '1 hour')`,
    [
      ...[id, sha256(secret), accountId, environment, role, actor],
      ...[options.returnUrl ?? null, options.parentId ?? null],
    ],
  )
  const name = environment === 'live' ? '__Host-gw_session' : '__Host-gw_sandbox_session'
  return pageOf(clients[environment], `${name}=${secret}`, id)
}

interface Clients {
  readonly live: TestClient
  readonly sandbox: TestClient
}

/** Changes the row of a session, for what only time does otherwise. */
export async function setSession(
  { database }: { readonly database: TestDatabase },
  { sessionId }: Pick<Page, 'sessionId'>,
  change: string,
): Promise<void> {
  await database.query(`UPDATE oauth.session SET ${change} WHERE id = $1`, [sessionId])
}
