import { expect } from 'vitest'
import type { TestGateway } from '../gateway/gateway.ts'
import type { TestResponse } from '../requests/client.ts'
import type { Authenticator, CredentialJson } from './authenticator.ts'
import { ofOwnPage, type Page, pageOf } from './sessions.ts'

export const passkeysPath = '/v1/account/members/me/passkeys'
export const signInPath = '/v1/account/sessions/passkey'
const provePath = '/v1/account/sessions/current/passkey'

/** The options of a request, for the browser. */
export async function optionsFrom(page: Page, path: string): Promise<object> {
  const { status, body } = await page.send('POST', `${path}/options`)
  expect([status, body]).toEqual([200, { options: expect.anything() }])
  return Object(body).options
}

/** Adds the passkey to the member of the page. */
export async function addPasskey(
  page: Page,
  authenticator: Authenticator,
  name = 'Laptop',
): Promise<string> {
  const options = await optionsFrom(page, passkeysPath)
  const credential = authenticator.create(options)
  const answer = await page.send('POST', passkeysPath, { name, credential })
  expect([answer.status, answer.body]).toEqual([201, expect.anything()])
  return Object(answer.body).id
}

/** A sign-in that a browser has begun. */
interface Begun {
  readonly options: object
  readonly cookie: string
}

export async function beginSignIn({ live }: Pick<TestGateway, 'live'>): Promise<Begun> {
  const path = `${signInPath}/options`
  const { status, body, headers } = await live.post(path, undefined, undefined, ofOwnPage)
  expect([status, body]).toEqual([200, { options: expect.anything() }])
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  expect(cookie).toMatch(/^__Host-gw_passkey=./)
  return { options: Object(body).options, cookie }
}

/** Answers a sign-in that has begun. */
export function answerSignIn(
  { live }: Pick<TestGateway, 'live'>,
  { cookie }: Pick<Begun, 'cookie'>,
  answer: { readonly credential?: CredentialJson; readonly account_id?: string },
): Promise<TestResponse> {
  return live.post(signInPath, answer, undefined, { ...ofOwnPage, cookie })
}

/** Signs a browser of its own in with the passkey, to this account where there are several. */
export async function signInByPasskey(
  gateway: Pick<TestGateway, 'live'>,
  authenticator: Authenticator,
  accountId?: string,
): Promise<Page> {
  const begun = await beginSignIn(gateway)
  const credential = authenticator.sign(begun.options)
  const answer = { credential, ...(accountId !== undefined && { account_id: accountId }) }
  const { status, body, headers } = await answerSignIn(gateway, begun, answer)
  expect([status, body]).toEqual([200, { session: expect.anything(), accounts: [] }])
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  return pageOf(gateway.live, cookie, Object(body).session.id)
}

/** The answer to a proof of the session by the passkey. */
export async function proveByPasskey(
  page: Page,
  authenticator: Authenticator,
): Promise<TestResponse> {
  const options = await optionsFrom(page, provePath)
  return page.send('POST', provePath, { credential: authenticator.sign(options) })
}
