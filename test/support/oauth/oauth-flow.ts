import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { expectStandardHeaders } from '../gateway/error-envelope.ts'
import type { TestAccount, TestGateway } from '../gateway/gateway.ts'
import type { TestClient, TestResponse } from '../requests/client.ts'

/** Turns the limits of a minute off, because all tests come from one address. */
export const withoutMinuteLimits = {
  OAUTH_LIMITS: 'token=0,authorize=0,introspect=0,revoke=0,register=0,dcr=0,failures=0',
}

export const redirectUri = 'https://client.example/callback'
export const formType = 'application/x-www-form-urlencoded'
/** A scope that yields all kinds of tokens. */
export const fullScope = 'openid profile offline_access account:read'

type Place = Pick<TestGateway, 'live' | 'createAccount'>

export interface RegisteredApp {
  readonly clientId: string
  /** Null for a public app. */
  readonly secret: string | null
  readonly developer: TestAccount
}

interface AppOptions {
  readonly developer?: TestAccount
  readonly isPublic?: boolean
  readonly redirectUris?: readonly string[]
  readonly grantTypes?: readonly string[]
  /** Sandbox apps are registered with its client and a sandbox key. */
  readonly client?: TestClient
}

/** By default a confidential app of a new account. */
export async function registerApp(
  gateway: Place,
  options: AppOptions = {},
): Promise<RegisteredApp> {
  const { client = gateway.live, isPublic = false, redirectUris = [redirectUri] } = options
  const { grantTypes = ['authorization_code', 'refresh_token'] } = options
  const developer = options.developer ?? (await gateway.createAccount())
  const { status, body } = await client.post(
    '/v1/oauth/apps',
    {
      client_name: 'Acme',
      redirect_uris: redirectUris,
      grant_types: grantTypes,
      token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_basic',
    },
    client === gateway.live ? developer.liveKey : developer.sandboxKey,
  )
  expect(status).toBe(201)
  const { client_id: clientId, client_secret: secret = null } = Object(body)
  return { clientId, secret, developer }
}

export function newVerifier(): string {
  return randomBytes(32).toString('base64url')
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

interface ApprovalOptions {
  readonly owner: TestAccount
  readonly scope?: string
  readonly nonce?: string
  /** The verifier, whose challenge is bound to the code. */
  readonly verifier?: string
  readonly redirectUri?: string
  readonly client?: TestClient
}

/** Returns the code of an owner's consent by API. */
export async function approve(
  gateway: Place,
  { clientId }: Pick<RegisteredApp, 'clientId'>,
  options: ApprovalOptions,
): Promise<string> {
  const { owner, scope = fullScope, nonce, verifier, client = gateway.live } = options
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: options.redirectUri ?? redirectUri,
    scope,
    ...(nonce === undefined ? {} : { nonce }),
    ...(verifier === undefined
      ? {}
      : { code_challenge: challengeOf(verifier), code_challenge_method: 'S256' }),
  })
  const key = client === gateway.live ? owner.liveKey : owner.sandboxKey
  const { status, body } = await client.request(`/v1/oauth/consent?${query}`, {
    method: 'POST',
    key,
  })
  expect([status, Object(body).status]).toEqual([200, 'approved'])
  return Object(body).code
}

/** Members of a form; undefined ones are left out. */
export type Form = Readonly<Record<string, string | undefined>>

export function encodeForm(form: Form): string {
  const members = Object.entries(form).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return new URLSearchParams(members).toString()
}

/** Posts a form, or text in its place. */
export function postForm(
  client: TestClient,
  path: string,
  form: Form | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const body = typeof form === 'string' ? form : encodeForm(form)
  return client.request(path, {
    method: 'POST',
    body,
    headers: { 'content-type': formType, ...headers },
  })
}

/** `client_secret_post`, or the id alone for a public app. */
export function credentialsOf({ clientId, secret }: RegisteredApp): Form {
  return { client_id: clientId, client_secret: secret ?? undefined }
}

export function basicOf(clientId: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }
}

/** Requests tokens with a code. */
export function redeem(
  client: TestClient,
  app: RegisteredApp,
  code: string,
  form: Form = {},
): Promise<TestResponse> {
  return postForm(client, '/v1/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    ...credentialsOf(app),
    ...form,
  })
}

/** Requests tokens with a refresh token. */
export function refresh(
  client: TestClient,
  app: RegisteredApp,
  refreshToken: string,
  form: Form = {},
): Promise<TestResponse> {
  return postForm(client, '/v1/oauth/token', {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...credentialsOf(app),
    ...form,
  })
}

export function introspect(
  client: TestClient,
  app: RegisteredApp,
  token: string,
  form: Form = {},
): Promise<TestResponse> {
  return postForm(client, '/v1/oauth/introspect', { token, ...credentialsOf(app), ...form })
}

export function revoke(
  client: TestClient,
  app: RegisteredApp,
  token: string,
  form: Form = {},
): Promise<TestResponse> {
  return postForm(client, '/v1/oauth/revoke', { token, ...credentialsOf(app), ...form })
}

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly idToken: string
}

/** The tokens of an answer; an empty text for each missing one. */
export function tokensOf({ status, body }: TestResponse): Tokens {
  expect([status, body]).toEqual([200, expect.anything()])
  const { access_token: accessToken, refresh_token: refreshToken = '', id_token } = Object(body)
  return { accessToken, refreshToken, idToken: id_token ?? '' }
}

/** The whole flow: approves and redeems; returns the spent code too. */
export async function authorize(
  gateway: Place,
  app: RegisteredApp,
  options: ApprovalOptions,
): Promise<Tokens & { readonly code: string }> {
  const { client = gateway.live } = options
  const code = await approve(gateway, app, options)
  const form = { code_verifier: options.verifier, redirect_uri: options.redirectUri ?? redirectUri }
  return { ...tokensOf(await redeem(client, app, code, form)), code }
}

interface ExpectedFailure {
  readonly error: string
  readonly description: string
  /** Whether the answer has a challenge: only if a header was sent (RFC 6749 §5.2). */
  readonly isChallenged?: boolean
}

/**
 * Expects a protocol error: its whole body, and the headers of every answer (docs/contract.md §2).
 */
export function expectFailure(
  { baseUrl }: Pick<TestGateway, 'baseUrl'>,
  response: TestResponse,
  { error, description, isChallenged = false }: ExpectedFailure,
): void {
  expect(response.body).toEqual({
    error,
    error_description: description,
    error_uri: `${baseUrl}/docs/errors/${error}`,
  })
  expect(response.status).toBe(error === 'invalid_client' ? 401 : 400)
  expectStandardHeaders(response)
  expectNotStored(response)
  expect(response.headers.get('pragma')).toBe('no-cache')
  expect(response.headers.get('www-authenticate')).toBe(
    isChallenged ? `Basic realm="${baseUrl}/v1", error="invalid_client"` : null,
  )
}

/** docs/oauth-rules.md 3. */
export function expectNotStored({ headers }: TestResponse): void {
  expect(headers.get('cache-control')).toBe('no-store')
}

export const invalidGrant = {
  error: 'invalid_grant',
  description: 'The grant is invalid, expired, revoked or not yours.',
} as const

export const invalidClient = {
  error: 'invalid_client',
  description: 'Client authentication failed.',
} as const

export interface Family {
  readonly isAlive: boolean
  readonly because: string | null
  readonly codeIsConsumed: boolean
  readonly accessTokens: number
  readonly refreshTokens: number
  readonly consumedRefreshTokens: number
}

/** The stored grants of an app, oldest first. */
export function familiesOf(
  { database }: Pick<TestGateway, 'database'>,
  { clientId }: Pick<RegisteredApp, 'clientId'>,
): Promise<Family[]> {
  return database.query<Family>(
    `SELECT g.revoked_at IS NULL AS "isAlive", g.revoked_because AS "because",
       (SELECT consumed_at IS NOT NULL FROM oauth.authorization_code c WHERE c.grant_id = g.id)
         AS "codeIsConsumed",
       (SELECT count(*)::int FROM oauth.access_token t WHERE t.grant_id = g.id) AS "accessTokens",
       (SELECT count(*)::int FROM oauth.refresh_token t WHERE t.grant_id = g.id) AS "refreshTokens",
       (SELECT count(consumed_at)::int FROM oauth.refresh_token t WHERE t.grant_id = g.id)
         AS "consumedRefreshTokens"
     FROM oauth.authorization_grant g WHERE g.client_id = $1 ORDER BY g.id`,
    [clientId],
  )
}

/** Whether any issued token is still accepted, at any endpoint. */
export async function aliveOf(
  client: TestClient,
  app: RegisteredApp,
  { accessToken, refreshToken }: Pick<Tokens, 'accessToken' | 'refreshToken'>,
): Promise<{ userinfo: number; accessToken: unknown; refreshToken: unknown }> {
  const userinfo = await client.get('/v1/oauth/userinfo', accessToken)
  const [access, refreshed] = await Promise.all(
    [accessToken, refreshToken].map((token) => introspect(client, app, token)),
  )
  return {
    userinfo: userinfo.status,
    accessToken: Object(access?.body).active,
    refreshToken: Object(refreshed?.body).active,
  }
}

export const allAlive = { userinfo: 200, accessToken: true, refreshToken: true } as const
export const allDead = { userinfo: 401, accessToken: false, refreshToken: false } as const
