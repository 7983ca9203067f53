import { Arg, Authorized, Ctx, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
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
    @Ctx() { database, caller }: GraphContext,
  ): Promise<VerifiedAccessToken | null> {
    return verifyAccessToken(database, tokenHash, caller.environment)
  }
}
