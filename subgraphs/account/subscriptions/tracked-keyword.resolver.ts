import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { makeChange } from '../../shared/changes/change.ts'
import { OnceInput, onceArg } from '../../shared/changes/once.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { accountIdDescription, ownerOf } from '../accounts/owner.ts'
import { keywordsOf, trackKeyword, untrackKeyword } from './tracked-keyword.service.ts'
import { TrackedKeyword, TrackedKeywordPage, TrackKeywordInput } from './tracked-keyword.type.ts'

@Resolver(() => TrackedKeyword)
export class TrackedKeywordResolver {
  @Authorized('account')
  @Query(() => TrackedKeywordPage, {
    description: "Lists the caller's tracked keywords, newest first.",
  })
  trackedKeywords(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<TrackedKeywordPage> {
    return readPage(context, keywordsOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account', 'support')
  @Mutation(() => TrackedKeyword, {
    description: 'Tracks a keyword with the Rank Tracking add-on.',
  })
  async trackKeyword(
    @Arg('input', () => TrackKeywordInput, { description: 'The keyword to track.' })
    input: TrackKeywordInput,
    @Arg('accountId', () => ID, { nullable: true, description: accountIdDescription })
    accountId: string | null,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: GraphContext,
  ): Promise<TrackedKeyword> {
    const owner = await ownerOf(context, accountId, 'keyword.create')
    const note = ({ id, keyword }: TrackedKeyword) => ({ resourceId: id, details: { keyword } })
    return makeChange(
      context,
      { owner, action: 'keyword.create', once, request: input, note },
      (tx) => trackKeyword(tx, owner, input),
    )
  }

  @Authorized('account', 'support')
  @Mutation(() => TrackedKeyword, { description: 'Stops tracking a keyword.' })
  async untrackKeyword(
    @Arg('id', () => ID, { description: '`kw_…`' }) id: string,
    @Arg('accountId', () => ID, { nullable: true, description: accountIdDescription })
    accountId: string | null,
    @Arg('once', () => OnceInput, onceArg) once: OnceInput | null,
    @Ctx() context: GraphContext,
  ): Promise<TrackedKeyword> {
    const owner = await ownerOf(context, accountId, 'keyword.delete')
    const note = ({ keyword }: TrackedKeyword) => ({ resourceId: id, details: { keyword } })
    return makeChange(
      context,
      { owner, action: 'keyword.delete', once, request: { id }, note },
      (tx) => untrackKeyword(tx, owner, id),
    )
  }
}
