import { Arg, Args, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { ConnectionArgs } from '../../shared/lists/page.type.ts'
import { listSequentially } from '../../shared/lists/sequentially.ts'
import { forgetExpired } from './forget-expired.service.ts'
import {
  internalTokensOf,
  isInternalTokenRevoked,
  recordInternalToken,
  revokeInternalToken,
} from './internal-token.service.ts'
import {
  InternalToken,
  InternalTokenConnection,
  InternalTokenInput,
} from './internal-token.type.ts'

@Resolver()
export class InternalTokenResolver {
  @Authorized('admin')
  @Query(() => InternalTokenConnection, {
    description: 'Tokens of the internal listener that have not expired, newest first.',
  })
  internalTokens(
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Ctx() context: GraphContext,
  ): Promise<InternalTokenConnection> {
    return listSequentially(context, internalTokensOf(context.database), page)
  }

  @Authorized('service')
  @Query(() => Boolean, { description: 'Whether a token of the internal listener is revoked.' })
  isInternalTokenRevoked(
    @Arg('id', () => ID, { description: '`tok_…`' }) id: string,
    @Ctx() { database }: GraphContext,
  ): Promise<boolean> {
    return isInternalTokenRevoked(database, id)
  }

  @Authorized('admin')
  @Mutation(() => InternalToken, {
    description: 'Stores a token that was minted elsewhere, so that it is listed.',
  })
  recordInternalToken(
    @Arg('input', () => InternalTokenInput, { description: 'The token.' })
    input: InternalTokenInput,
    @Ctx() context: GraphContext,
  ): Promise<InternalToken> {
    return recordInternalToken(context, input)
  }

  @Authorized('admin')
  @Mutation(() => InternalToken, {
    description: 'Revokes a token of the internal listener, at once and in every process.',
  })
  revokeInternalToken(
    @Arg('id', () => ID, { description: '`tok_…`' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<InternalToken> {
    return revokeInternalToken(context, id)
  }

  @Authorized('service')
  @Mutation(() => Int, { description: 'Deletes tokens that have expired; returns how many.' })
  forgetInternalTokens(
    @Arg('limit', () => Int, { description: 'The greatest number of items.' }) limit: number,
    @Ctx() { database }: GraphContext,
  ): Promise<number> {
    return forgetExpired(database, limit)
  }
}
