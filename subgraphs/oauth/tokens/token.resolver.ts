import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { OAuthFailure } from './grants/oauth-failure.ts'
import { introspect } from './introspection.service.ts'
import { revokeToken } from './revocation.service.ts'
import { exchange } from './token.service.ts'
import {
  Introspection,
  OAuthErrorType,
  TokenArgs,
  TokenResponse,
  TokenResult,
} from './token.type.ts'

/** The operations of authenticated apps on tokens. */
@Resolver()
export class TokenResolver {
  @Authorized('client')
  @Mutation(() => TokenResult, {
    description: 'Exchanges a code or a refresh token for tokens (RFC 6749).',
  })
  async token(
    @Args(() => TokenArgs) request: TokenArgs,
    @Ctx() context: OAuthContext,
  ): Promise<TokenResponse | OAuthErrorType> {
    const result = await exchange(context, request)
    const shown = result instanceof OAuthFailure ? new OAuthErrorType() : new TokenResponse()
    return Object.assign(shown, result)
  }

  @Authorized('client')
  @Mutation(() => Boolean, {
    description:
      'Revokes a token of the app that calls (RFC 7009); true, also if there is no such token.',
  })
  async revokeToken(
    @Arg('tokenHash', () => String, { description: 'Hexadecimal SHA-256 of the token.' })
    tokenHash: string,
    @Ctx() context: OAuthContext,
  ): Promise<boolean> {
    await revokeToken(context, tokenHash)
    return true
  }

  @Authorized('client')
  @Query(() => Introspection, {
    description: 'Shows whether a token of the app that calls is valid (RFC 7662).',
  })
  introspection(
    @Arg('tokenHash', () => String, { description: 'Hexadecimal SHA-256 of the token.' })
    tokenHash: string,
    @Ctx() context: OAuthContext,
  ): Promise<Introspection> {
    return introspect(context, tokenHash)
  }
}
