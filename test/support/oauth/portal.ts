import type { TestGateway } from '../gateway/gateway.ts'
import type { TestClient, TestResponse } from '../requests/client.ts'
import { ofOwnPage } from './sessions.ts'

export interface LinkInput {
  readonly accountId: string
  readonly environment?: 'LIVE' | 'SANDBOX'
  readonly role?: string
  readonly actor?: string
  readonly returnUrl?: string
}

const mutation = `mutation ($input: CreatePortalLinkInput!) {
  createPortalLink(input: $input) { url expiresAt }
}`

/** The answer of internal GraphQL to the role: the link, or the errors. */
export async function askForLink(
  gateway: TestGateway,
  { environment = 'LIVE', role = 'OWNER', actor = 'jane@example.com', ...rest }: LinkInput,
  by: 'admin' | 'support' | 'readonly' = 'admin',
): Promise<{ readonly link: { url: string; expiresAt: string } | null; readonly errors: unknown }> {
  const variables = { input: { environment, role, actor, ...rest } }
  const token = await gateway.internalToken(by)
  const { body } = await gateway.internal.post('/graphql', { query: mutation, variables }, token)
  const { data, errors = [] } = Object(body)
  return { link: data?.createPortalLink ?? null, errors }
}

/** The token of a new link. */
export async function linkToken(gateway: TestGateway, input: LinkInput): Promise<string> {
  const { link, errors } = await askForLink(gateway, input)
  if (!link) throw new Error(JSON.stringify(errors))
  return secretOf(link.url)
}

/** The fragment of the address. */
export function secretOf(url: string): string {
  return new URL(url).hash.slice(1)
}

export type Proof =
  | { readonly portal_token: string }
  | { readonly handover_code: string }
  | { readonly invitation_token: string }

/** Signs in as the page of the listener does. */
export function signInWith(
  client: TestClient,
  proof: Proof,
  cookie?: string,
): Promise<TestResponse> {
  return client.post('/v1/account/sessions', proof, undefined, headersOf(cookie))
}

export function previewOf(
  client: TestClient,
  proof: Proof,
  cookie?: string,
): Promise<TestResponse> {
  return client.post('/v1/account/sessions/preview', proof, undefined, headersOf(cookie))
}

function headersOf(cookie: string | undefined): Record<string, string> {
  return cookie === undefined ? ofOwnPage : { ...ofOwnPage, cookie }
}

/** The cookie that an answer sets, as a request sends it; null: it sets none. */
export function cookieOf({ headers }: TestResponse): string | null {
  return headers.get('set-cookie')?.split(';').at(0) ?? null
}
