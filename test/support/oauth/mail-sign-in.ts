import { expect } from 'vitest'
import type { TestClient, TestResponse } from '../requests/client.ts'
import type { MailServer } from '../stubs/mail-server.ts'
import { cookieOf, ofOwnPage, type Page, pageOf } from './sessions.ts'

const path = '/v1/account/sessions/mail'

type Headers = Readonly<Record<string, string>>

/** Asks for a mail as the page of the listener does. */
export function askForMail(
  live: TestClient,
  email: string,
  headers: Headers = {},
): Promise<TestResponse> {
  return live.post(`${path}/request`, { email }, undefined, { ...ofOwnPage, ...headers })
}

interface MailProof {
  readonly mail_token?: string
  readonly mail_code?: string
  readonly account_id?: string
}

/** Sends what a mail has, with these cookies of the browser. */
export function signInByMail(
  live: TestClient,
  proof: MailProof,
  ...cookies: readonly string[]
): Promise<TestResponse> {
  const headers = cookies.length === 0 ? ofOwnPage : { ...ofOwnPage, cookie: cookies.join('; ') }
  return live.post(path, proof, undefined, headers)
}

/** The value of a cookie that an answer sets, as a browser sends it; null: it sets none of the name. */
export function cookieNamed({ headers }: TestResponse, name: string): string | null {
  const found = headers.getSetCookie().find((one) => one.startsWith(`${name}=`))
  return found?.split(';').at(0) ?? null
}

/** A browser that has asked for a mail, and what the mail has. */
export interface Asked {
  /** `__Host-gw_ask=…` */
  readonly cookie: string
  readonly token: string
  readonly code: string
}

/** Asks for a mail and waits for it; `count` is how many mails the address has then. */
export async function askAndRead(
  live: TestClient,
  server: MailServer,
  email: string,
  headers: Headers = {},
): Promise<Asked> {
  const before = server.received.filter(({ to }) => to === email).length
  const answer = await askForMail(live, email, headers)
  expect([answer.status, answer.body]).toEqual([202, expect.anything()])
  const mail = (await server.until(email, before + 1)).at(-1)
  return { cookie: askCookieOf(answer), ...secretsIn(mail?.text ?? '') }
}

export function askCookieOf(answer: TestResponse): string {
  return cookieNamed(answer, '__Host-gw_ask') ?? ''
}

export function secretsIn(text: string): { readonly token: string; readonly code: string } {
  const token = /\/console\/sign-in#(\S+)/.exec(text)?.[1] ?? ''
  const code = /\b(\d{8})\b/.exec(text)?.[1] ?? ''
  expect(token).not.toBe('')
  return { token, code }
}

/** The page of a session that an answer has opened. */
export function pageOfSignIn(live: TestClient, { status, body, headers }: TestResponse): Page {
  expect([status, body]).toEqual([
    200,
    { session: expect.objectContaining({ id: expect.stringMatching(/^ses_/) }), accounts: [] },
  ])
  return pageOf(live, cookieOf(headers), Object(body).session.id)
}
