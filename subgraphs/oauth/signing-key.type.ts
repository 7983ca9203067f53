import { Field, GraphQLISODateTime, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../shared/environment.type.ts'

@ObjectType({ description: 'The signing key that comes next, or came just now.' })
export class NextSigningKey {
  @Field(() => EnvironmentValue, { description: 'Whose tokens it signs.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'Key id: the RFC 7638 thumbprint.' })
  kid!: string

  @Field(() => GraphQLISODateTime, { description: 'From then on it signs.' })
  activatesAt!: Date
}
