import { z } from 'zod'
import { personRoles } from '../../schema/vocabulary/roles.ts'
import { membersScope } from '../../schema/vocabulary/scopes.ts'
import { emailAddress } from '../http/fields/email-address.ts'
import { idParam, pageParams, shown, text } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'

const role = z
  .enum(personRoles, `must be one of ${personRoles.join(', ')}`)
  .register(shown, { description: 'What the member may do.' })

const memberParams = z.strictObject({ member_id: idParam('mem', 'member') })

const common = { isExtension: true, keysOnly: true } as const

/** Only people change members, and only where a role says so. */
const changing = { ...common, scope: membersScope } as const

export const memberRoutes = [
  accountRoute({
    ...common,
    method: 'get',
    path: '/account/members',
    summary: 'Members of the account and invitations, newest first',
    description:
      'Lists the members of the account and its invitations, newest first. `state` is `invited` until somebody accepts, then `active`, or `unconfirmed` if no mail has brought the link to the address. In the sandbox it is a conflict.',
    operation: 'ListMembers',
    refusals: ['CONFLICT'],
    scope: 'members:read',
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    ...changing,
    method: 'post',
    path: '/account/members',
    summary: 'Invite a person to the account',
    description:
      'Sends an invitation, whose link works once, within 7 days. An address that is a member or invited is a conflict, as is the 21st open invitation. One address gets 3 invitations a day, whoever invites; beyond that the answer is the same and no mail is sent. Where no mails can be sent, `link` is shown, this once.',
    operation: 'InviteMember',
    refusals: ['CONFLICT'],
    body: z.strictObject({
      email: emailAddress.clone().register(shown, {
        schema: { type: 'string', format: 'email', maxLength: 254 },
        description: 'The mail address. It is kept in lower case.',
      }),
      role,
    }),
    status: 201,
    revealsSecret: true,
    leavesOutNull: ['link'],
  }),
  accountRoute({
    ...common,
    method: 'patch',
    path: '/account/members/me',
    summary: 'Change the own name or address',
    description:
      'Changes the name of the calling member, and begins a change of the address. A new address takes effect when the member has confirmed it by the link of a mail, in every account of the person; that needs a fresh proof. The own address confirms an `unconfirmed` member. The answer is the same for an address that another person has, to which no link is mailed. A key, and a person whom a portal link has signed in, is no member: 404.',
    operation: 'ChangeMyself',
    refusals: ['NOT_FOUND', 'CONFLICT'],
    scope: 'openid',
    body: z.strictObject({
      name: z
        .nullable(text(1, 100).regex(/\S/, 'must not be blank'))
        .register(shown, { description: 'The name; null: none.' })
        .optional(),
      email: emailAddress
        .clone()
        .register(shown, {
          schema: { type: 'string', format: 'email', maxLength: 254 },
          description: 'The address to confirm. It is kept in lower case.',
        })
        .optional(),
    }),
  }),
  accountRoute({
    ...common,
    method: 'post',
    path: '/account/members/me/email',
    summary: 'Confirm the own address by the link of its mail',
    description:
      'Confirms an address by the link that was mailed to it, in a session of the member who has asked. It works once, within 24 hours, and the newest link only. The person has the address from then on in every account, and the former address gets a mail. Every refusal is the same 404.',
    operation: 'ConfirmMyAddress',
    refusals: ['NOT_FOUND', 'CONFLICT'],
    scope: 'openid',
    body: z.strictObject({
      token: text(1, 200).register(shown, { description: 'The fragment of the link.' }),
    }),
  }),
  accountRoute({
    ...changing,
    method: 'patch',
    path: '/account/members/:member_id',
    summary: 'Change the role of a member or an invitation',
    description:
      'Changes the role of a member or an invitation. It counts from the next request of the member on. Open invitations that the member may no longer give end. Only an OWNER makes or changes an OWNER; the last one stays: 409, as where the own membership has changed meanwhile.',
    operation: 'ChangeMember',
    refusals: ['CONFLICT'],
    params: memberParams,
    body: z.strictObject({ role }),
  }),
  accountRoute({
    ...changing,
    method: 'delete',
    path: '/account/members/:member_id',
    summary: 'Remove a member or an invitation',
    description:
      'Removes a member or an invitation. The sessions of the member end at once, and with them the invitations by the member that are open. `keys` says what becomes of the keys that the member has issued; those that the console made for the member end in any case. Only an OWNER removes an OWNER; the last one stays: 409.',
    operation: 'RemoveMember',
    refusals: ['CONFLICT'],
    params: memberParams,
    query: z.strictObject({
      keys: z
        .enum(['revoke', 'keep'], 'must be revoke or keep')
        .register(shown, { description: 'What becomes of the keys that the member has issued.' }),
    }),
  }),
  accountRoute({
    ...changing,
    method: 'post',
    path: '/account/members/:member_id/resend',
    summary: 'Send an invitation again',
    description:
      'Sends an invitation again, with a new link; the link of before is void. It counts among the 3 a day to an address. An invitation that was accepted is a conflict.',
    operation: 'ResendInvitation',
    refusals: ['CONFLICT'],
    params: memberParams,
    status: 201,
    revealsSecret: true,
    leavesOutNull: ['link'],
  }),
]
