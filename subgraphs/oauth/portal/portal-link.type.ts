import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { EnvironmentName } from '../../shared/graph/environment.type.ts'

/** The roles of people: `personRoles`. */
export enum PortalRole {
  OWNER = 'OWNER',
  DEVELOPER = 'DEVELOPER',
  BILLING = 'BILLING',
  VIEWER = 'VIEWER',
}

registerEnumType(PortalRole, {
  name: 'PortalRole',
  description: 'The role of a person in the console (docs/contract.md §11).',
  valuesConfig: {
    OWNER: { description: 'All rights.' },
    DEVELOPER: {
      description: 'Keys, apps, webhooks and the audit trail; product calls only in the sandbox.',
    },
    BILLING: { description: 'Credits, payments and invoices.' },
    VIEWER: { description: 'Reading alone.' },
  },
})

@InputType({ description: 'A link that signs a person in to the console, once.' })
export class CreatePortalLinkInput {
  @Field(() => ID, { description: 'The account: `acct_…`' })
  accountId!: string

  @Field(() => EnvironmentName, { description: 'The environment in which the link signs in.' })
  environment!: EnvironmentName

  @Field(() => PortalRole, { description: 'The role of the person.' })
  role!: PortalRole

  @Field(() => String, {
    description: 'The name of the person in the audit trail: 1 to 200 visible characters.',
  })
  actor!: string

  @Field(() => String, {
    nullable: true,
    description:
      'The address that the console leads back to: of this gateway, or of one of RETURN_ORIGINS.',
  })
  returnUrl?: string | null
}

@ObjectType({ description: 'A link that works once.' })
export class CreatePortalLinkPayload {
  @Field(() => String, {
    description: 'The URL. Its fragment contains the token, which is shown only here.',
  })
  url!: string

  @Field(() => GraphQLISODateTime, { description: 'When it expires.' })
  expiresAt!: Date
}
