import { Field, ObjectType } from 'type-graphql'

@ObjectType({
  description: 'The abilities of the provider (OpenID Connect Discovery §3, RFC 8414 §2).',
})
export class OpenidConfiguration {
  @Field(() => String, { description: '`{base_url}/v1`' })
  issuer!: string

  @Field(() => String, { description: 'Where consent is asked for.' })
  authorizationEndpoint!: string

  @Field(() => String, { description: 'Where codes and refresh tokens are exchanged.' })
  tokenEndpoint!: string

  @Field(() => String, { description: 'Where claims about the account holder are read.' })
  userinfoEndpoint!: string

  @Field(() => String, { description: 'RFC 7009.' })
  revocationEndpoint!: string

  @Field(() => String, { description: 'RFC 7662.' })
  introspectionEndpoint!: string

  @Field(() => String, { description: 'The signing keys.' })
  jwksUri!: string

  @Field(() => String, { description: 'Documentation for people.' })
  serviceDocumentation!: string

  @Field(() => [String], { description: 'Scopes that an app can ask for.' })
  scopesSupported!: string[]

  @Field(() => [String], { description: 'Only the authorization code flow.' })
  responseTypesSupported!: string[]

  @Field(() => [String], { description: 'Only query.' })
  responseModesSupported!: string[]

  @Field(() => [String], { description: 'Grants of the token endpoint.' })
  grantTypesSupported!: string[]

  @Field(() => [String], { description: 'One subject for all apps.' })
  subjectTypesSupported!: string[]

  @Field(() => [String], { description: 'RS256.' })
  idTokenSigningAlgValuesSupported!: string[]

  @Field(() => [String], { description: 'How apps prove who they are.' })
  tokenEndpointAuthMethodsSupported!: string[]

  @Field(() => [String], { description: 'How apps prove who they are when they revoke.' })
  revocationEndpointAuthMethodsSupported!: string[]

  @Field(() => [String], { description: 'How apps prove who they are when they introspect.' })
  introspectionEndpointAuthMethodsSupported!: string[]

  @Field(() => [String], { description: 'PKCE: only S256 (RFC 7636).' })
  codeChallengeMethodsSupported!: string[]

  @Field(() => [String], { description: 'Claims that userinfo and id tokens may hold.' })
  claimsSupported!: string[]

  @Field(() => [String], { description: 'An API key is no ISO 29115 level.' })
  acrValuesSupported!: string[]

  @Field(() => Boolean, { description: 'RFC 9207.' })
  authorizationResponseIssParameterSupported!: boolean

  @Field(() => Boolean, { description: 'Said aloud because the default is true.' })
  requestUriParameterSupported!: boolean

  @Field(() => Boolean, { description: 'No request objects.' })
  requestParameterSupported!: boolean

  @Field(() => Boolean, { description: 'No claims parameter.' })
  claimsParameterSupported!: boolean
}
