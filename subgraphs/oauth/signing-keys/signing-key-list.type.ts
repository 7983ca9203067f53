import { Field, GraphQLISODateTime, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'A key that signs tokens, or will, or has.' })
export class KnownSigningKey {
  @Field(() => String, { description: 'The id of the key, as in the published set.' })
  kid!: string

  @Field(() => String, {
    description: '`openid`: tokens of OpenID Connect; `backends`: tokens for backend modules.',
  })
  use!: string

  @Field(() => EnvironmentValue, { description: 'The environment whose tokens it signs.' })
  environment!: EnvironmentValue

  @Field(() => GraphQLISODateTime, { description: 'When it was made.' })
  createdAt!: Date

  @Field(() => GraphQLISODateTime, { description: 'When it signs from.' })
  activateAt!: Date

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it was revoked.' })
  revokedAt!: Date | null
}
