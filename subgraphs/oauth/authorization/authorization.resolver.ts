import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import type { GraphContext } from '../../shared/graph/context.ts'
import { describeAuthorization } from './authorization.service.ts'
import {
  AuthorizationArgs,
  AuthorizationScreen,
  ConsentArgs,
  ConsentOutcome,
} from './authorization.type.ts'
import { decide } from './consent-decision.service.ts'

/** Public: the outcome depends on the caller. */
@Resolver()
export class AuthorizationResolver {
  @Authorized('account', 'anonymous')
  @Query(() => AuthorizationScreen, {
    description: 'What an app asks of an owner. Writes nothing.',
  })
  authorizationScreen(
    @Args(() => AuthorizationArgs) request: AuthorizationArgs,
    @Arg('continueToken', () => String, {
      nullable: true,
      description: 'Of the screen before: what the browser has signed in for.',
    })
    continueToken: string | null,
    @Ctx() context: GraphContext,
  ): Promise<AuthorizationScreen> {
    return describeAuthorization(context, request, continueToken ?? null)
  }

  @Authorized('account', 'anonymous')
  @Mutation(() => ConsentOutcome, {
    description: 'What the owner who calls decides about it; the only place where codes come from.',
  })
  decideConsent(
    @Args(() => ConsentArgs) { isAllowed, consentToken, ...request }: ConsentArgs,
    @Ctx() context: GraphContext,
  ): Promise<ConsentOutcome> {
    return decide(context, request, { isAllowed, consentToken })
  }
}
