import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError } from '../../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../../support/gateway/gateway.ts'
import {
  type AskingApp,
  consent,
  grantsOf,
  linesOf,
  redirectUri,
  registerApp,
  requestOf,
  shownTo,
} from '../../../support/oauth/asking.ts'
import { cookieOf, linkToken, signInWith } from '../../../support/oauth/portal.ts'

let gateway: TestGateway
let app: AskingApp
beforeAll(async () => {
  gateway = await sharedGateway()
  app = await registerApp(gateway)
})
afterAll(() => gateway.close())

/** A person whom a portal link has signed in, and what the page of the app shows him. */
async function askedOf(role: string) {
  const account = await gateway.createAccount()
  const proof = { portal_token: await linkToken(gateway, { accountId: account.id, role }) }
  const answer = await signInWith(gateway.live, proof)
  expect(answer.status).toBe(201)
  const cookie = cookieOf(answer) ?? ''
  const headers = { cookie, origin: gateway.live.url }
  const browser = { cookie, headers, sessionId: Object(answer.body).id }
  const plain = requestOf(app)
  const token = await shownTo(gateway.live, browser, plain)
  return { account, headers, query: `${plain}&consent_token=${token}` }
}

describe('POST /v1/oauth/consent of a person', () => {
  test('an OWNER approves an app, and the audit trail names him', async () => {
    const { account, headers, query } = await askedOf('OWNER')

    const answer = await consent(gateway.live, query, undefined, headers)

    const { status, code, redirect_to: redirectTo } = Object(answer.body)
    expect([answer.status, status]).toEqual([200, 'approved'])
    expect(code).toMatch(/^svc_oac_/)
    expect(redirectTo.startsWith(redirectUri)).toBe(true)
    expect(await grantsOf(gateway, account)).toMatchObject([{ client_id: app.clientId }])
    const lines = await linesOf(gateway, app.clientId, 1)
    expect(lines).toContainEqual(
      expect.objectContaining({
        ...{ action: 'consent.grant', result: 'succeeded', account_id: account.id },
        actor_kind: 'session',
      }),
    )
  })

  test.each(['ADMIN', 'DEVELOPER', 'BILLING', 'VIEWER'])('a %s approves nothing', async (role) => {
    const { account, headers, query } = await askedOf(role)

    const answer = await consent(gateway.live, query, undefined, headers)

    expectError(gateway, answer, { status: 403, code: 'FORBIDDEN' })
    expect(await grantsOf(gateway, account)).toEqual([])
  })
})
