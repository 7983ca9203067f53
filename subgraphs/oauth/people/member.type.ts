import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { ActInput } from '../../shared/changes/act.ts'
import { connectionOf } from '../../shared/lists/page.type.ts'
import { PortalRole } from './portal-role.type.ts'

export enum MemberState {
  invited = 'invited',
  unconfirmed = 'unconfirmed',
  active = 'active',
}

registerEnumType(MemberState, {
  name: 'MemberState',
  description: 'How far a member has come.',
  valuesConfig: {
    invited: { description: 'Nobody has accepted the invitation.' },
    unconfirmed: {
      description: 'The invitation was accepted by a link that no mail had brought to the address.',
    },
    active: { description: 'The invitation was accepted by a link from a mail to the address.' },
  },
})

/** What becomes of the keys that a removed member has issued. */
export enum KeptKeys {
  revoke = 'revoke',
  keep = 'keep',
}

registerEnumType(KeptKeys, {
  name: 'KeptKeys',
  description: 'What becomes of the keys that a removed member has issued.',
  valuesConfig: {
    revoke: { description: 'They are revoked.' },
    keep: { description: 'They stay, but for those that the console made for the member.' },
  },
})

@ObjectType({ description: 'A person who belongs to an account, or is invited to.' })
export class Member {
  @Field(() => ID, { description: '`mem_…`' })
  id!: string

  @Field(() => String, { description: 'The mail address, in lower case.' })
  email!: string

  @Field(() => String, { nullable: true, description: 'The name, as the member has set it.' })
  name!: string | null

  @Field(() => PortalRole, { description: 'The role.' })
  role!: PortalRole

  @Field(() => MemberState, { description: 'How far the member has come.' })
  state!: MemberState

  @Field(() => String, {
    nullable: true,
    description: 'Who invited the member, as the audit trail names them; null: an operator.',
  })
  invitedBy!: string | null

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The end of the invitation; null once it was accepted.',
  })
  expiresAt!: Date | null

  @Field(() => GraphQLISODateTime, { description: 'When the member was invited first.' })
  createdAt!: Date

  @Field(() => Int, { description: 'The number of passkeys of the member.' })
  passkeys!: number
}

@ObjectType({ description: 'A member who has just been invited.' })
export class InvitedMember extends Member {
  @Field(() => String, {
    nullable: true,
    description:
      'The link of the invitation, where no mail can be sent. It is shown only here. Null: a mail has it.',
  })
  link!: string | null
}

@ObjectType({ description: 'A page of members, newest first.' })
export class MemberPage {
  @Field(() => [Member], { description: 'The members of this page.' })
  items!: Member[]

  @Field(() => String, {
    nullable: true,
    description: 'The cursor of the next page; null on the last page.',
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'A page of members for internal tools, newest first.' })
export class MemberConnection extends connectionOf(Member) {}

@InputType({ description: 'An invitation to an account.' })
export class InviteMemberInput extends ActInput {
  @Field(() => ID, { description: 'The account: `acct_…`' })
  accountId!: string

  @Field(() => String, { description: 'The mail address.' })
  email!: string

  @Field(() => PortalRole, { description: 'The role of the member.' })
  role!: PortalRole
}
