import { Arg, Authorized, Ctx, Query, Resolver } from 'type-graphql'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { verifyAccessToken } from './verified-access-token.service.ts'
import { VerifiedAccessToken } from './verified-access-token.type.ts'

@Resolver()
export class VerifiedAccessTokenResolver {
  @Authorized('service')
  @Query(() => VerifiedAccessToken, {
    nullable: true,
    description:
      'The usable access token with this hash in the environment of the call; null without one.',
  })
  verifiedAccessToken(
    @Arg('tokenHash', () => String, { description: 'Hexadecimal SHA-256 of the plaintext.' })
    tokenHash: string,
    @Ctx() context: OAuthContext,
  ): Promise<VerifiedAccessToken | null> {
    return verifyAccessToken(context, tokenHash)
  }
}
