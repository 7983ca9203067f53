import { Field, GraphQLISODateTime, ID, InputType, ObjectType } from 'type-graphql'
import { ActInput } from '../../shared/changes/act.ts'
import { EnvironmentName } from '../../shared/graph/environment.type.ts'
import { PortalRole } from '../people/portal-role.type.ts'

@InputType({ description: 'A link that signs a person in to the console, once.' })
export class CreatePortalLinkInput extends ActInput {
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
    description:
      'The URL. Its fragment contains the token, which is shown only here, and to a repetition with the same idempotency key.',
  })
  url!: string

  @Field(() => GraphQLISODateTime, { description: 'When it expires.' })
  expiresAt!: Date
}
