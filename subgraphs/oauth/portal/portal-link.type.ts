import {
  Field,
  GraphQLISODateTime,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
} from 'type-graphql'
import { EnvironmentName } from '../../shared/graph/environment.type.ts'

/** As `personRoles`. */
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
    OWNER: { description: 'Everything.' },
    DEVELOPER: {
      description: 'Keys, apps, webhooks and the trail; product calls in the sandbox alone.',
    },
    BILLING: { description: 'Credits, payments and invoices.' },
    VIEWER: { description: 'Reads, and changes nothing.' },
  },
})

@InputType({ description: 'A link that signs a person in to the console, once.' })
export class CreatePortalLinkInput {
  @Field(() => ID, { description: 'Whose account: `acct_…`' })
  accountId!: string

  @Field(() => EnvironmentName, { description: 'Where the link signs in.' })
  environment!: EnvironmentName

  @Field(() => PortalRole, { description: 'The role of the person there.' })
  role!: PortalRole

  @Field(() => String, {
    description: 'Whom the audit trail names: 1 to 200 visible characters.',
  })
  actor!: string

  @Field(() => String, {
    nullable: true,
    description: 'Where the console leads back to: of this gateway, or of one of RETURN_ORIGINS.',
  })
  returnUrl?: string | null
}

@ObjectType({ description: 'A link that works once.' })
export class CreatePortalLinkPayload {
  @Field(() => String, { description: 'Shown nowhere else: its fragment has the token.' })
  url!: string

  @Field(() => GraphQLISODateTime, { description: 'Until then it works.' })
  expiresAt!: Date
}
