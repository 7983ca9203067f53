import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { findInvitation } from './accept-invitation.service.ts'
import { confirmMyAddress, mailAddressChange } from './address-change.service.ts'
import {
  inviteAnyMember,
  inviteMember,
  inviteOwner,
  resendInvitation,
} from './invitation.service.ts'
import { InvitedMember, InviteMemberInput, KeptKeys, Member, MemberPage } from './member.type.ts'
import { changeRoleOfMember, membersOf, removeMember } from './members.service.ts'
import { changeMyself } from './myself.service.ts'
import { PortalRole } from './portal-role.type.ts'

const memberId = { description: '`mem_…`' }
const roleArg = { description: 'The role of the member.' }

@Resolver()
export class PeopleResolver {
  @Authorized('account')
  @Query(() => MemberPage, {
    description: "The members of the caller's account and its invitations, newest first.",
  })
  members(@Args(() => PageArgs) page: PageArgs, @Ctx() context: OAuthContext): Promise<MemberPage> {
    return readPage(context, membersOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account')
  @Mutation(() => InvitedMember, { description: "Invites a person to the caller's account." })
  inviteMember(
    @Arg('email', () => String, { description: 'The mail address.' }) email: string,
    @Arg('role', () => PortalRole, roleArg) role: PortalRole,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: OAuthContext,
  ): Promise<InvitedMember> {
    return inviteMember(context, { email, role }, once)
  }

  @Authorized('account')
  @Mutation(() => InvitedMember, {
    description: 'Sends an invitation again; the link of before is void.',
  })
  resendInvitation(
    @Arg('id', () => ID, memberId) id: string,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: OAuthContext,
  ): Promise<InvitedMember> {
    return resendInvitation(context, id, once)
  }

  @Authorized('account')
  @Mutation(() => Member, { description: 'Changes the role of a member.' })
  changeMember(
    @Arg('id', () => ID, memberId) id: string,
    @Arg('role', () => PortalRole, roleArg) role: PortalRole,
    @Ctx() context: OAuthContext,
  ): Promise<Member> {
    return changeRoleOfMember(context, id, role)
  }

  @Authorized('account')
  @Mutation(() => Member, { description: 'Removes a member or an invitation; returns it.' })
  removeMember(
    @Arg('id', () => ID, memberId) id: string,
    @Arg('keys', () => KeptKeys, { description: 'What becomes of the keys of the member.' })
    keys: KeptKeys,
    @Ctx() context: OAuthContext,
  ): Promise<Member> {
    return removeMember(context, id, keys)
  }

  @Authorized('account')
  @Mutation(() => Member, {
    description:
      'Changes the name of the member who calls, and mails a link that confirms an address.',
  })
  changeMyself(
    @Arg('name', () => String, {
      nullable: true,
      description: 'The name; null: none; absent: it stays.',
    })
    name: string | null | undefined,
    @Arg('email', () => String, { nullable: true, description: 'The address; absent: it stays.' })
    email: string | null,
    @Ctx() context: OAuthContext,
  ): Promise<Member> {
    return changeMyself(context, { name, email: email ?? null })
  }

  @Authorized('account')
  @Mutation(() => Member, {
    description: 'Confirms an address of the member who calls, by the link of its mail.',
  })
  confirmMyAddress(
    @Arg('token', () => String, { description: 'The value in the link.' }) token: string,
    @Ctx() context: OAuthContext,
  ): Promise<Member> {
    return confirmMyAddress(context, token)
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Mails the link that confirms an address; always true.',
  })
  mailAddressChange(
    @Arg('id', () => ID, { description: '`adc_…`' }) id: string,
    @Ctx() context: OAuthContext,
  ): Promise<boolean> {
    return mailAddressChange(context, id)
  }

  @Authorized('admin')
  @Mutation(() => InvitedMember, {
    description:
      'Invites a person to an account, such as its first OWNER. If nobody has accepted an invitation of the address, a new one takes its place.',
  })
  inviteToAccount(
    @Arg('input', () => InviteMemberInput, { description: 'The person, and the role.' })
    input: InviteMemberInput,
    @Ctx() context: OAuthContext,
  ): Promise<InvitedMember> {
    return inviteAnyMember(context, input)
  }

  @Authorized('service')
  @Query(() => Boolean, {
    description: 'Whether the link of an invitation lets somebody join now, on live.',
  })
  async isInvitationOpen(
    @Arg('id', () => ID, { description: '`ivt_…`' }) id: string,
    @Ctx() { database }: OAuthContext,
  ): Promise<boolean> {
    return (await findInvitation(database, id, 'live'))?.isUsable ?? false
  }

  @Authorized('service')
  @Mutation(() => Boolean, {
    description: 'Invites the first OWNER of a new account; a repetition changes nothing.',
  })
  inviteOwner(
    @Arg('accountId', () => ID, { description: '`acct_…`' }) accountId: string,
    @Arg('email', () => String, { description: 'The mail address.' }) email: string,
    @Arg('invitationId', () => ID, { description: '`ivt_…`' }) invitationId: string,
    @Arg('isShown', () => Boolean, {
      description: 'Whether the link was shown to whoever created the account: no mail brings it.',
    })
    isShown: boolean,
    @Ctx() context: OAuthContext,
  ): Promise<boolean> {
    return inviteOwner(context, { accountId, email, invitationId, isShown })
  }
}
