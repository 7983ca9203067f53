import { Field, ObjectType } from 'type-graphql'

@ObjectType({
  description: 'The abilities of the provider (OpenID Connect Discovery §3, RFC 8414 §2).',
})
export class OpenidConfiguration {
  @Field(() => String, { description: '`{base_url}/v1`' })
  issuer!: string

  @Field(() => String, { description: 'The address where consent is asked for.' })
  authorizationEndpoint!: string

  @Field(() => String, { description: 'The address where codes and refresh tokens are exchanged.' })
  tokenEndpoint!: string

  @Field(() => String, {
    description: 'The address where claims about the account holder are read.',
  })
  userinfoEndpoint!: string

  @Field(() => String, { description: 'The address where tokens are revoked (RFC 7009).' })
  revocationEndpoint!: string

  @Field(() => String, { description: 'The address where tokens are examined (RFC 7662).' })
  introspectionEndpoint!: string

  @Field(() => String, {
    nullable: true,
    description: 'The address where apps register themselves (RFC 7591), if they may.',
  })
  registrationEndpoint!: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'True where a client id may be the address of a document; else null.',
  })
  clientIdMetadataDocumentSupported!: boolean | null

  @Field(() => String, { description: 'The address of the signing keys.' })
  jwksUri!: string

  @Field(() => String, { description: 'The address of the documentation.' })
  serviceDocumentation!: string

  @Field(() => [String], { description: 'The scopes that an app can ask for.' })
  scopesSupported!: string[]

  @Field(() => [String], { description: 'Only `code`: the authorization code flow.' })
  responseTypesSupported!: string[]

  @Field(() => [String], { description: 'Only `query`.' })
  responseModesSupported!: string[]

  @Field(() => [String], { description: 'The grants of the token endpoint.' })
  grantTypesSupported!: string[]

  @Field(() => [String], {
    description: 'Only `public`: an account has the same subject for all apps.',
  })
  subjectTypesSupported!: string[]

  @Field(() => [String], { description: 'Only RS256.' })
  idTokenSigningAlgValuesSupported!: string[]

  @Field(() => [String], { description: 'The ways in which apps authenticate.' })
  tokenEndpointAuthMethodsSupported!: string[]

  @Field(() => [String], {
    description: 'The ways in which apps authenticate when they revoke a token.',
  })
  revocationEndpointAuthMethodsSupported!: string[]

  @Field(() => [String], {
    description: 'The ways in which apps authenticate when they introspect a token.',
  })
  introspectionEndpointAuthMethodsSupported!: string[]

  @Field(() => [String], { description: 'PKCE: only S256 (RFC 7636).' })
  codeChallengeMethodsSupported!: string[]

  @Field(() => [String], { description: 'The claims that userinfo and id tokens may contain.' })
  claimsSupported!: string[]

  @Field(() => [String], { description: 'Only `0`: an API key reaches no level of ISO 29115.' })
  acrValuesSupported!: string[]

  @Field(() => Boolean, { description: 'Always true (RFC 9207).' })
  authorizationResponseIssParameterSupported!: boolean

  @Field(() => Boolean, { description: 'False; it is named because the default is true.' })
  requestUriParameterSupported!: boolean

  @Field(() => Boolean, { description: 'False: request objects are not supported.' })
  requestParameterSupported!: boolean

  @Field(() => Boolean, { description: 'False: the claims parameter is not supported.' })
  claimsParameterSupported!: boolean
}
