import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { expect } from 'vitest'
import type { TestGateway } from '../gateway/gateway.ts'
import type { TestClient, TestResponse } from '../requests/client.ts'
import { consent, type Parameters, queryOf, shownTo, signIn } from './asking.ts'
import { formType, postForm } from './oauth-flow.ts'

/** An agent's callback on its own device. */
export const agentRedirect = 'http://127.0.0.1:33418/callback'

/** A host on loopback whose documents the test can change, as an agent in the trial has one. */
export interface DocumentHost {
  /** The address of a document that no other test has. */
  address(): string
  /** Members that documents have from now on, beside those that every document has. */
  say(members: object): void
  close(): Promise<void>
}

export async function startDocumentHost(): Promise<DocumentHost> {
  let said: object = {}
  let made = 0
  const server = createServer((req, res) => {
    const document = {
      client_id: `http://${req.headers.host}${req.url}`,
      client_name: 'Agent',
      redirect_uris: [agentRedirect],
      grant_types: ['authorization_code', 'refresh_token'],
      ...said,
    }
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    address: () => `http://127.0.0.1:${port}/agent-${++made}.json`,
    say(members) {
      said = members
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** RFC 7591, as a client without a document does it; fails if it is refused. */
export async function registerItself(client: TestClient, members: object = {}): Promise<string> {
  const { status, body } = await client.post('/v1/oauth/register', {
    client_name: 'Agent',
    redirect_uris: [agentRedirect],
    grant_types: ['authorization_code', 'refresh_token'],
    ...members,
  })
  expect([status, body]).toEqual([201, expect.anything()])
  return Object(body).client_id
}

export interface Agent {
  readonly clientId: string
  readonly verifier: string
}

export function agentOf(clientId: string): Agent {
  return { clientId, verifier: randomBytes(32).toString('base64url') }
}

export const agentScope = 'openid offline_access account:read contacts:read contacts:write'

/** The request of an agent. */
export function agentRequest({ clientId, verifier }: Agent, changes: Parameters = {}): string {
  return queryOf({
    client_id: clientId,
    redirect_uri: agentRedirect,
    response_type: 'code',
    scope: agentScope,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  })
}

/** Approves by key with a budget; returns the code. */
export async function approveAgent(
  client: TestClient,
  agent: Agent,
  key: string,
  changes: Parameters = {},
): Promise<string> {
  const asked = agentRequest(agent, { budgets: 'month:500', ...changes })
  const { status, body } = await consent(client, asked, key)
  expect([status, Object(body).status ?? body]).toEqual([200, 'approved'])
  return Object(body).code
}

/** Signs a browser in and approves on its page with a budget for a month; returns where the agent is called back. */
export async function approveInBrowser(
  client: TestClient,
  key: string,
  asked: string,
  budgetCredits: number,
): Promise<URL> {
  const browser = await signIn(client, key)
  const shown = new URLSearchParams({ consent_token: await shownTo(client, browser, asked) })
  const budget = { budget_credits: String(budgetCredits), budget_period: 'month' }
  const { status, body } = await client.request(`/v1/oauth/consent${asked}&${shown}`, {
    method: 'POST',
    body: new URLSearchParams(budget).toString(),
    headers: { ...browser.headers, 'content-type': formType },
  })
  expect([status, Object(body).status ?? body]).toEqual([200, 'approved'])
  return new URL(Object(body).redirect_to)
}

export function redeemAgent(
  client: TestClient,
  { clientId, verifier }: Agent,
  code: string,
  form: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return postForm(client, '/v1/oauth/token', {
    ...{ grant_type: 'authorization_code', code, redirect_uri: agentRedirect },
    ...{ client_id: clientId, code_verifier: verifier, ...form },
  })
}

export function refreshAgent(
  client: TestClient,
  { clientId }: Agent,
  refreshToken: string,
): Promise<TestResponse> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }
  return postForm(client, '/v1/oauth/token', form)
}

/** Internal GraphQL by an operator. */
export function asOperator(gateway: TestGateway, document: string, variables: object = {}) {
  return gateway.graphql(document, variables)
}

/** The variables of a gateway that takes the addresses of `fromElsewhere`. */
export const trustedProxy = { TRUST_PROXY: '127.0.0.1' }

let addresses = 0
/** The header of a client at an address that no other has: fetches of documents are counted by address. */
export function newAddress(): Readonly<Record<string, string>> {
  addresses += 1
  return {
    'x-forwarded-for': `198.51.${100 + Math.floor(addresses / 250)}.${1 + (addresses % 250)}`,
  }
}

/** A client that comes from another address with each request. */
export function fromElsewhere(client: TestClient): TestClient {
  const { url } = client
  const request: TestClient['request'] = (path, options) =>
    client.request(path, { ...options, headers: { ...newAddress(), ...options.headers } })
  return {
    ...{ url, request },
    get: (path, key, headers) => request(path, { method: 'GET', key, headers }),
    post: (path, body, key, headers) => request(path, { method: 'POST', body, key, headers }),
  }
}
