import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { CurrentSession, EndedSessions, Session, SessionPage } from './session.type.ts'
import {
  endOneSession,
  endOtherSessions,
  getCurrentSession,
  getSession,
  sessionsOf,
} from './session-list.service.ts'

const sessionId = { description: '`ses_…`' }

@Resolver()
export class SessionListResolver {
  @Authorized('account')
  @Query(() => SessionPage, {
    description: 'The open sessions that the caller may see and end, newest first.',
  })
  sessions(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<SessionPage> {
    return readPage(context, sessionsOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account')
  @Query(() => Session, { description: 'One open session that the caller may see.' })
  session(
    @Arg('id', () => ID, sessionId) id: string,
    @Ctx() context: GraphContext,
  ): Promise<Session> {
    return getSession(context.database, requireAccount(context), id)
  }

  @Authorized('account')
  @Query(() => CurrentSession, { description: 'The session that calls.' })
  currentSession(@Ctx() context: OAuthContext): Promise<CurrentSession> {
    return getCurrentSession(context)
  }

  @Authorized('account')
  @Mutation(() => EndedSessions, {
    description:
      'Ends a session, with the sessions on the other listener that were handed over from it.',
  })
  endOneSession(
    @Arg('id', () => ID, sessionId) id: string,
    @Ctx() context: GraphContext,
  ): Promise<EndedSessions> {
    return endOneSession(context, id)
  }

  @Authorized('account')
  @Mutation(() => EndedSessions, {
    description:
      'Ends all other sessions that the caller may end, also those that it has handed over. A key ends all sessions.',
  })
  endOtherSessions(@Ctx() context: GraphContext): Promise<EndedSessions> {
    return endOtherSessions(context)
  }
}
