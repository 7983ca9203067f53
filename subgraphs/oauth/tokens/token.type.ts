import { ArgsType, createUnionType, Field, Int, ObjectType } from 'type-graphql'

/**
 * The form of the token endpoint. Secrets come as hexadecimal SHA-256, except the code verifier.
 */
@ArgsType()
export class TokenArgs {
  @Field(() => String, { description: '`authorization_code` or `refresh_token`' })
  grantType!: string

  @Field(() => String, {
    nullable: true,
    description: 'Hexadecimal SHA-256 of the authorization code.',
  })
  codeHash!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The redirect URI, exactly as in the authorization request.',
  })
  redirectUri!: string | null

  @Field(() => String, { nullable: true, description: 'RFC 7636 §4.1.' })
  codeVerifier!: string | null

  @Field(() => String, { nullable: true, description: 'Hexadecimal SHA-256 of the refresh token.' })
  refreshTokenHash!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The scopes, none beyond those that were granted.',
  })
  scope!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'RFC 8707: the identifier of this API; no other is accepted.',
  })
  resource!: string | null
}

@ObjectType({ description: 'The issued tokens (RFC 6749 §5.1).' })
export class TokenResponse {
  @Field(() => String, { description: 'The token, an opaque text, which is shown only here.' })
  accessToken!: string

  @Field(() => String, { description: 'Bearer.' })
  tokenType!: string

  @Field(() => Int, { description: 'The seconds until the access token expires.' })
  expiresIn!: number

  @Field(() => String, { description: 'The scopes of the access token, separated by spaces.' })
  scope!: string

  @Field(() => String, {
    nullable: true,
    description: 'The refresh token, an opaque text, which works once.',
  })
  refreshToken!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The id token, a JWT, if the scope `openid` was granted.',
  })
  idToken!: string | null
}

@ObjectType('OAuthError', { description: 'An expected failure of the protocol (RFC 6749 §5.2).' })
export class OAuthErrorType {
  @Field(() => String, { description: 'The code of the RFC.' })
  error!: string

  @Field(() => String, { description: 'A text for readers of logs.' })
  errorDescription!: string
}

export const TokenResult = createUnionType({
  name: 'TokenResult',
  description: 'Tokens, or the error. What a failed exchange has revoked stays revoked.',
  // The types are told apart by their classes: compiled documents do not await a promise of the
  // type.
  types: () => [TokenResponse, OAuthErrorType],
})

@ObjectType({ description: 'Whether a token is valid, with its claims (RFC 7662 §2.2).' })
export class Introspection {
  @Field(() => Boolean, {
    description: 'Whether the token is accepted; if not, all other fields are null.',
  })
  active!: boolean

  @Field(() => String, { nullable: true, description: 'Its scopes, separated by spaces.' })
  scope?: string | null

  @Field(() => String, { nullable: true, description: 'The app that has the token: `app_…`' })
  clientId?: string | null

  @Field(() => String, { nullable: true, description: 'Bearer, for an access token.' })
  tokenType?: string | null

  @Field(() => Int, { nullable: true, description: 'When the token expires: Unix seconds.' })
  exp?: number | null

  @Field(() => Int, { nullable: true, description: 'When the token was issued: Unix seconds.' })
  iat?: number | null

  @Field(() => String, {
    nullable: true,
    description: 'The account that granted the token: `acct_…`',
  })
  sub?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The audience: `{base_url}/mcp` for the tools of agents, else the app.',
  })
  aud?: string | null

  @Field(() => String, { nullable: true, description: 'The issuer.' })
  iss?: string | null
}
