import { Arg, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../shared/context.ts'
import { cursorCodec, toPage } from '../shared/pagination.ts'
import { listKeywords, trackKeyword, untrackKeyword } from './tracked-keyword.service.ts'
import { TrackedKeyword, TrackedKeywordPage, TrackKeywordInput } from './tracked-keyword.type.ts'

@Resolver(() => TrackedKeyword)
export class TrackedKeywordResolver {
  @Authorized('account')
  @Query(() => TrackedKeywordPage, { description: "The caller's tracked keywords, newest first." })
  async trackedKeywords(
    @Arg('limit', () => Int, { description: 'Page size.' }) limit: number,
    @Arg('cursor', () => String, {
      nullable: true,
      description: '`nextCursor` of the page before.',
    })
    cursor: string | null,
    @Ctx() context: GraphContext,
  ): Promise<TrackedKeywordPage> {
    const caller = requireAccount(context)
    const owner = `${caller.accountId}/${caller.environment}`
    const cursors = cursorCodec(context.cursorKey, 'keywords', owner)
    const beforeId = cursor ? cursors.decode(cursor) : null
    const keywords = await listKeywords(context.em, caller, { limit: limit + 1, beforeId })
    return toPage<TrackedKeyword>(keywords, limit, ({ id }) => cursors.encode(id))
  }

  @Authorized('account')
  @Mutation(() => TrackedKeyword, {
    description: 'Tracks a keyword with the Rank Tracking add-on.',
  })
  trackKeyword(
    @Arg('input', () => TrackKeywordInput, { description: 'What to track.' })
    input: TrackKeywordInput,
    @Ctx() context: GraphContext,
  ): Promise<TrackedKeyword> {
    return trackKeyword(context.em, requireAccount(context), input)
  }

  @Authorized('account')
  @Mutation(() => TrackedKeyword, { description: 'Stops tracking a keyword.' })
  untrackKeyword(
    @Arg('id', () => ID, { description: '`kw_…`' }) id: string,
    @Ctx() context: GraphContext,
  ): Promise<TrackedKeyword> {
    return untrackKeyword(context.em, requireAccount(context), id)
  }
}
