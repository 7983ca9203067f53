import { Arg, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { markKeysUsed, verifyKey } from './verified-key.service.ts'
import { KeyUseInput, VerifiedKey } from './verified-key.type.ts'

@Resolver()
export class VerifiedKeyResolver {
  @Authorized('service')
  @Query(() => VerifiedKey, {
    nullable: true,
    description: 'The usable key with this hash in the environment of the call; null without one.',
  })
  verifiedKey(
    @Arg('secretHash', () => String, { description: 'Hexadecimal SHA-256 of the plaintext.' })
    secretHash: string,
    @Ctx() { database, caller }: GraphContext,
  ): Promise<VerifiedKey | null> {
    return verifyKey(database, secretHash, caller.environment)
  }

  @Authorized('service')
  @Mutation(() => Int, { description: 'Stores when keys were last accepted; returns how many.' })
  async markKeysUsed(
    @Arg('uses', () => [KeyUseInput], { description: 'The keys, each once.' }) uses: KeyUseInput[],
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    await markKeysUsed(database, uses)
    return uses.length
  }
}
