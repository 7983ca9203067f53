import { Field, ObjectType } from 'type-graphql'

@ObjectType({ description: 'A public signing key (RFC 7517).' })
export class Jwk {
  @Field(() => String, { description: 'Key type: RSA.' })
  kty!: string

  @Field(() => String, { description: 'Intended use: sig.' })
  use!: string

  @Field(() => String, { description: 'Algorithm: RS256.' })
  alg!: string

  @Field(() => String, { description: 'Key id: the RFC 7638 thumbprint.' })
  kid!: string

  @Field(() => String, { description: 'Modulus, base64url.' })
  n!: string

  @Field(() => String, { description: 'Exponent, base64url.' })
  e!: string
}

@ObjectType({ description: 'The signing keys of the provider (RFC 7517 §5).' })
export class Jwks {
  @Field(() => [Jwk], { description: 'Every key with which a token in use may be signed.' })
  keys!: Jwk[]
}
