import { ArgsType, createUnionType, Field, Int, ObjectType } from 'type-graphql'

/**
 * The form of the token endpoint. Secrets come as hexadecimal SHA-256, except the code verifier.
 */
@ArgsType()
export class TokenArgs {
  @Field(() => String, { description: '`authorization_code` or `refresh_token`' })
  grantType!: string

  @Field(() => String, { nullable: true, description: 'Of the authorization code.' })
  codeHash!: string | null

  @Field(() => String, { nullable: true, description: 'As it was in the request for the code.' })
  redirectUri!: string | null

  @Field(() => String, { nullable: true, description: 'RFC 7636 §4.1.' })
  codeVerifier!: string | null

  @Field(() => String, { nullable: true, description: 'Of the refresh token.' })
  refreshTokenHash!: string | null

  @Field(() => String, { nullable: true, description: 'No more than was granted.' })
  scope!: string | null

  @Field(() => String, { nullable: true, description: 'RFC 8707: this API, if anything.' })
  resource!: string | null
}

@ObjectType({ description: 'The issued tokens (RFC 6749 §5.1).' })
export class TokenResponse {
  @Field(() => String, { description: 'Opaque; shown this once.' })
  accessToken!: string

  @Field(() => String, { description: 'Bearer.' })
  tokenType!: string

  @Field(() => Int, { description: 'Seconds for which the access token is accepted.' })
  expiresIn!: number

  @Field(() => String, { description: 'The scopes of the access token, separated by spaces.' })
  scope!: string

  @Field(() => String, { nullable: true, description: 'Opaque; each works once.' })
  refreshToken!: string | null

  @Field(() => String, { nullable: true, description: 'A JWT, where openid was granted.' })
  idToken!: string | null
}

@ObjectType('OAuthError', { description: 'An expected failure of the protocol (RFC 6749 §5.2).' })
export class OAuthErrorType {
  @Field(() => String, { description: 'The code of the RFC.' })
  error!: string

  @Field(() => String, { description: 'For readers of logs.' })
  errorDescription!: string
}

export const TokenResult = createUnionType({
  name: 'TokenResult',
  description: 'Tokens, or why there are none; what was revoked on the way stays so.',
  // The types are told apart by their classes: compiled documents do not await a promise of the
  // type.
  types: () => [TokenResponse, OAuthErrorType],
})

@ObjectType({ description: 'Whether a token is valid, and its contents (RFC 7662 §2.2).' })
export class Introspection {
  @Field(() => Boolean, { description: 'Whether it is accepted; if not, nothing else is said.' })
  active!: boolean

  @Field(() => String, { nullable: true, description: 'Its scopes, separated by spaces.' })
  scope?: string | null

  @Field(() => String, { nullable: true, description: 'Whose it is: `app_…`' })
  clientId?: string | null

  @Field(() => String, { nullable: true, description: 'Bearer, for an access token.' })
  tokenType?: string | null

  @Field(() => Int, { nullable: true, description: 'When it ends: Unix seconds.' })
  exp?: number | null

  @Field(() => Int, { nullable: true, description: 'When it was issued: Unix seconds.' })
  iat?: number | null

  @Field(() => String, { nullable: true, description: 'Which account has granted it: `acct_…`' })
  sub?: string | null

  @Field(() => String, { nullable: true, description: 'For whom it is: the app.' })
  aud?: string | null

  @Field(() => String, { nullable: true, description: 'The issuer.' })
  iss?: string | null
}
