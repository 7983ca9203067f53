import { Field, GraphQLISODateTime, ObjectType, registerEnumType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

/** The value is the word in the code and on the command line. */
export enum SigningKeyUseValue {
  OPENID = 'openid',
  BACKENDS = 'backends',
}

registerEnumType(SigningKeyUseValue, {
  name: 'SigningKeyUse',
  description: 'The kind of tokens that a key signs.',
  valuesConfig: {
    OPENID: { description: 'Id tokens.' },
    BACKENDS: { description: 'Tokens that name the caller to backend modules.' },
  },
})

@ObjectType({ description: 'The signing key that comes next, or has just been published.' })
export class NextSigningKey {
  @Field(() => SigningKeyUseValue, { description: 'The tokens that it signs.' })
  use!: SigningKeyUseValue

  @Field(() => EnvironmentValue, { description: 'The environment whose tokens it signs.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'Key id: the RFC 7638 thumbprint.' })
  kid!: string

  @Field(() => GraphQLISODateTime, { description: 'When it begins to sign.' })
  activatesAt!: Date
}
