import { expect, vi } from 'vitest'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { TestGateway } from '../gateway/gateway.ts'
import type { MailServer } from '../stubs/mail-server.ts'
import { patience } from '../time/patience.ts'
import { cookieNamed } from './mail-sign-in.ts'
import { accept, invitationTokenIn, type MemberPage } from './members.ts'
import { cookieOf, pageOf } from './sessions.ts'

/** A member whose address is confirmed, because the invitation came by mail. */
export interface MailedMember extends MemberPage {
  readonly email: string
  readonly accountId: string
  /** `__Host-gw_known=…` of the browser; null: it was given none. */
  readonly known: string | null
}

interface JoinOptions {
  readonly email: string
  readonly role: PersonRole
  /** Without one, the member gets an account of their own. */
  readonly account?: { readonly id: string }
  /** The link counts as shown to the inviter, as where no mails are sent: the member is unconfirmed. */
  readonly isShown?: true
  /** The cookie that the browser has before. */
  readonly cookie?: string
}

/** Lets a person join by the mail of an operator's invitation, in a browser of its own. */
export async function joinByMail(
  gateway: TestGateway,
  server: MailServer,
  { email, role, account, isShown, cookie }: JoinOptions,
): Promise<MailedMember> {
  const { id: accountId } = account ?? (await gateway.createAccount())
  const { inviteToAccount: invited } = Object(
    await gateway.graphql(
      `mutation ($input: InviteMemberInput!) { inviteToAccount(input: $input) { id } }`,
      { input: { accountId, email, role } },
    ),
  )
  const [row] = await gateway.database.query<{ id: string }>(
    `SELECT invitation_id AS id FROM oauth.membership WHERE id = $1`,
    [invited.id],
  )
  const link = `/console/invitation#${row?.id}`
  const text = await vi.waitFor(() => {
    const mail = server.received.find((one) => one.to === email && one.text.includes(link))
    expect(mail).toBeDefined()
    return mail?.text ?? ''
  }, patience)
  const token = invitationTokenIn(text.slice(text.indexOf(link)))
  if (isShown) {
    const change = 'UPDATE oauth.membership SET is_mailed = false WHERE id = $1'
    await gateway.database.query(change, [invited.id])
  }
  const answer = await accept(gateway, token, cookie === undefined ? {} : { cookie })
  const { status, body, headers } = answer
  expect([status, body]).toEqual([201, expect.anything()])
  const page = pageOf(gateway.live, cookieOf(headers), Object(body).id)
  const known = cookieNamed(answer, '__Host-gw_known')
  return { ...page, memberId: invited.id, email, accountId, known }
}
