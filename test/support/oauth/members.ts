import { expect } from 'vitest'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { TestAccount, TestGateway } from '../gateway/gateway.ts'
import type { TestResponse } from '../requests/client.ts'
import { cookieOf, ofOwnPage, type Page, pageOf } from './sessions.ts'

const membersPath = '/v1/account/members'

/** The answer to a request of a page for an invitation. */
export function invite(by: Page, email: string, role: PersonRole): Promise<TestResponse> {
  return by.send('POST', membersPath, { email, role })
}

/** The token in the link of an invitation, from a mail or an answer. */
export function invitationTokenIn(text: string): string {
  const token = /\/console\/invitation#(\S+)/.exec(text)?.[1]
  expect(token).toBeDefined()
  return token ?? ''
}

/** The answer to the page of an invitation that accepts it. */
export function accept(
  { live }: Pick<TestGateway, 'live'>,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const proof = { invitation_token: token }
  return live.post('/v1/account/sessions', proof, undefined, { ...ofOwnPage, ...headers })
}

/** A member, and the browser that has accepted the invitation. */
export interface MemberPage extends Page {
  readonly memberId: string
}

let addresses = 0

/** An address that no other test of the file has. */
export function newAddress(name = 'person'): string {
  addresses += 1
  return `${name}-${addresses}@acme.example`
}

/** Lets a person join who is invited by an operator, where no mails are sent: the member is unconfirmed. */
export async function joinAccount(
  gateway: TestGateway,
  account: Pick<TestAccount, 'id'>,
  role: PersonRole,
  email = newAddress(role.toLowerCase()),
): Promise<MemberPage> {
  const { id, link } = await inviteByOperator(gateway, account, { email, role })
  return joinBy(gateway, id, link)
}

/** Lets a person join as if a mail had brought the link: the member's address is confirmed. */
export async function joinConfirmed(
  gateway: TestGateway,
  account: Pick<TestAccount, 'id'>,
  role: PersonRole,
  email = newAddress(role.toLowerCase()),
): Promise<MemberPage> {
  const { id, link } = await inviteByOperator(gateway, account, { email, role })
  await gateway.database.query(`UPDATE oauth.membership SET is_mailed = true WHERE id = $1`, [id])
  return joinBy(gateway, id, link)
}

async function inviteByOperator(
  gateway: TestGateway,
  { id: accountId }: Pick<TestAccount, 'id'>,
  invited: { readonly email: string; readonly role: PersonRole },
): Promise<{ readonly id: string; readonly link: string }> {
  const { inviteToAccount } = Object(
    await gateway.graphql(
      `mutation ($input: InviteMemberInput!) { inviteToAccount(input: $input) { id link } }`,
      { input: { accountId, ...invited } },
    ),
  )
  return inviteToAccount
}

/** Accepts the link of an invitation, in a browser of its own. */
export async function joinBy(
  gateway: TestGateway,
  memberId: string,
  link: string,
): Promise<MemberPage> {
  return { ...(await joinByMail(gateway, invitationTokenIn(link))), memberId }
}

/** Accepts an invitation by its token, in a browser of its own. */
export async function joinByMail(gateway: Pick<TestGateway, 'live'>, token: string): Promise<Page> {
  const { status, body, headers } = await accept(gateway, token)
  expect([status, body]).toEqual([201, expect.anything()])
  return pageOf(gateway.live, cookieOf(headers), Object(body).id)
}
