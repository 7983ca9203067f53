import { Field, ObjectType } from 'type-graphql'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'

@ObjectType({ description: 'A key that proves to backend modules who calls (Ed25519, RFC 8037).' })
export class BackendSigningKey {
  @Field(() => EnvironmentValue, { description: 'The environment whose calls the key signs.' })
  environment!: EnvironmentValue

  @Field(() => String, { description: 'Key id: the RFC 7638 thumbprint.' })
  kid!: string

  @Field(() => String, { description: 'The public half, base64url.' })
  x!: string

  @Field(() => Boolean, { description: 'Whether the key signs at present.' })
  isActive!: boolean

  @Field(() => String, {
    description:
      'The private half as a JWK, sealed with a key that is derived from GATEWAY_SECRET.',
  })
  privateSealed!: string
}
