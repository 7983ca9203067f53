import { GraphQLSafeInt } from 'graphql-scalars'
import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { maxKeyUses } from '../../../schema/credentials/key-uses.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { markKeysUsed, verifyKey } from './verified-key.service.ts'
import { VerifiedKey } from './verified-key.type.ts'

@Resolver()
export class VerifiedKeyResolver {
  @Authorized('service')
  @Query(() => VerifiedKey, {
    nullable: true,
    description:
      'The key with this hash in the environment of the call; null without one. A key that is not usable is an error.',
  })
  verifiedKey(
    @Arg('secretHash', () => String, { description: 'Hexadecimal SHA-256 of the plaintext.' })
    secretHash: string,
    @Ctx() { database, caller }: GraphContext,
  ): Promise<VerifiedKey | null> {
    return verifyKey(database, secretHash, caller.environment)
  }

  @Authorized('service')
  @Mutation(() => Int, {
    description: `Stores when keys were last accepted, of at most ${maxKeyUses} keys; returns how many.`,
  })
  async markKeysUsed(
    @Arg('keyIds', () => [ID], { description: 'Each once.' }) keyIds: string[],
    @Arg('usedAtMs', () => [GraphQLSafeInt], {
      description: 'When each of them was last accepted: milliseconds since 1970.',
    })
    usedAtMs: number[],
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    const refuse = (field: string, message: string) =>
      invalidRequest([{ field, in: 'body', message }])
    if (keyIds.length > maxKeyUses)
      throw refuse('keyIds', `must have at most ${maxKeyUses} entries`)
    if (usedAtMs.length !== keyIds.length) throw refuse('usedAtMs', 'must have a time for each key')
    await markKeysUsed(database, keyIds, usedAtMs)
    return keyIds.length
  }
}
