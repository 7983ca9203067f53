import { createHash, randomBytes } from 'node:crypto'
import { expect, vi } from 'vitest'
import type { TestAccount, TestGateway } from '../gateway/gateway.ts'
import type { TestClient, TestResponse } from '../requests/client.ts'
import { patience } from '../time/patience.ts'

/** Parameters of a request; null leaves one out, a list repeats it. */
export type Parameters = Readonly<Record<string, string | readonly string[] | null>>

export const redirectUri = 'https://app.example/callback'

export interface AskingApp {
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** The owner of the app. */
  readonly developer: TestAccount
}

/** An app of an account of its own; `members` are those of the registration. */
export async function registerApp(
  gateway: TestGateway,
  members: object = {},
  place: 'live' | 'sandbox' = 'live',
): Promise<AskingApp> {
  const developer = await gateway.createAccount()
  const { status, body } = await gateway[place].post(
    '/v1/oauth/apps',
    {
      client_name: 'Acme',
      redirect_uris: [redirectUri],
      scope: 'openid profile email offline_access account:read usage:read contacts:write',
      ...members,
    },
    place === 'live' ? developer.liveKey : developer.sandboxKey,
  )
  expect([status, body]).toEqual([201, expect.anything()])
  const { client_id: clientId, client_secret: clientSecret } = Object(body)
  return { clientId, clientSecret, developer }
}

export const unknownApp = 'client_id: is no app that is registered here'

/** The public description of an app that is registered here. */
export function shownClient({ clientId }: AskingApp) {
  return { client_id: clientId, name: 'Acme', verified: false, redirect_host: 'app.example' }
}

/** A valid request of a confidential app, with `changes` applied. */
export function requestOf({ clientId }: AskingApp, changes: Parameters = {}): string {
  return queryOf({ client_id: clientId, redirect_uri: redirectUri, scope: 'openid', ...changes })
}

/** `?name=value&…` */
export function queryOf(parameters: Parameters): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of value === null ? [] : [value].flat()) query.append(name, one)
  }
  return `?${query}`
}

export function newChallenge(): string {
  return createHash('sha256').update(randomBytes(32)).digest('base64url')
}

type Headers = Readonly<Record<string, string>>

export function authorize(
  client: TestClient,
  query: string,
  key?: string,
  headers?: Headers,
): Promise<TestResponse> {
  return client.get(`/v1/oauth/authorize${query}`, key, headers)
}

export function consent(
  client: TestClient,
  query: string,
  key?: string,
  headers?: Headers,
): Promise<TestResponse> {
  return client.request(`/v1/oauth/consent${query}`, { method: 'POST', key, headers })
}

/** Returns the approval; fails if it was refused. */
export async function approve(client: TestClient, query: string, key: string) {
  const { status, body } = await consent(client, query, key)
  expect([status, Object(body).status]).toEqual([200, 'approved'])
  const { code, redirect_to, granted_scope } = Object(body)
  return { code: String(code), redirectTo: new URL(redirect_to), grantedScope: granted_scope }
}

/** The 422 of a request, as `field: message`; fails if it says anything else. */
export function refusalOf(
  { baseUrl }: Pick<TestGateway, 'baseUrl'>,
  { status, headers, body }: TestResponse,
  members: Readonly<Record<string, string>> = {},
): string[] {
  // A known caller is led to the log.
  const { request_log_url: _, ...error } = Object(Object(body).error)
  const { details } = error
  const named = details.map((one: { field: string; message: string }) => {
    return `${one.field}: ${one.message}`
  })
  expect({ status, body: { ...Object(body), error } }).toEqual({
    status: 422,
    body: {
      error: {
        code: 'INVALID_REQUEST',
        message: named.join('; '),
        status: 422,
        documentation_url: `${baseUrl}/docs/errors/INVALID_REQUEST`,
        request_id: headers.get('x-request-id'),
        details: details.map((one: object) => ({ ...one, in: 'query' })),
        ...members,
      },
    },
  })
  return named
}

/** The number of rows of each table of the provider. */
export async function rowCounts({
  database,
}: TestGateway): Promise<Readonly<Record<string, number>>> {
  const tables = await database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'oauth' ORDER BY 1",
  )
  const counts = tables.map(async ({ name }) => {
    const [row] = await database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM oauth."${name}"`,
    )
    return [name, row?.count ?? -1] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

/** The grants of the account, oldest first. */
export function grantsOf({ database }: TestGateway, { id }: Pick<TestAccount, 'id'>) {
  return database.query<{ id: string; client_id: string; scopes: string[] }>(
    `SELECT id, client_id, scopes FROM oauth.authorization_grant
     WHERE account_id = $1 ORDER BY id`,
    [id],
  )
}

/** Waits for that many lines of the audit trail about an app or a session. */
export async function linesOf(
  { database }: TestGateway,
  resourceId: string,
  count: number,
): Promise<object[]> {
  const read = () =>
    database.query(
      `SELECT action, result, account_id, environment, actor_kind, details FROM usage.audit_event
       WHERE resource_id = $1 AND action <> 'oauth_app.create' ORDER BY id`,
      [resourceId],
    )
  await vi.waitFor(async () => {
    const [jobs] = await database.query(
      `SELECT count(*)::int AS open FROM jobs.job
       WHERE name = 'RecordAuditEvents' AND state < 'completed' AND data::text LIKE $1`,
      [`%${resourceId}%`],
    )
    expect([jobs, (await read()).length >= count]).toEqual([{ open: 0 }, true])
  }, patience)
  return read()
}

/** The headers of a signed-in browser. */
export interface Browser {
  /** `name=value` */
  readonly cookie: string
  readonly sessionId: string
  /** The headers of a first-party page that sends a form. */
  readonly headers: Headers
}

export async function signIn(
  client: TestClient,
  key: string,
  before?: Browser,
  members: object = {},
): Promise<Browser> {
  const cookies: Headers = before ? { cookie: before.cookie } : {}
  const { status, headers, body } = await client.post('/v1/oauth/session', members, key, cookies)
  expect(status).toBe(201)
  const cookie = /^[^;]+/.exec(headers.get('set-cookie') ?? '')?.[0] ?? ''
  return { cookie, sessionId: Object(body).id, headers: { cookie, origin: client.url } }
}

/** The consent token that the browser is shown. */
export async function shownTo(
  client: TestClient,
  { cookie }: Browser,
  query: string,
): Promise<string> {
  const { status, body } = await authorize(client, query, undefined, { cookie })
  expect([status, Object(body).login_required]).toEqual([200, false])
  return Object(body).consent_token
}

/** A browser that this request asked to sign in and that did; with the request that continues. */
export async function signInFor(
  client: TestClient,
  key: string,
  query: string,
): Promise<{ browser: Browser; asked: string }> {
  const { status, body } = await authorize(client, query)
  const { login_required, continue_token } = Object(body)
  expect([status, login_required, typeof continue_token]).toEqual([200, true, 'string'])
  const browser = await signIn(client, key, undefined, { continue_token })
  return { browser, asked: `${query}&${new URLSearchParams({ continue_token })}` }
}
