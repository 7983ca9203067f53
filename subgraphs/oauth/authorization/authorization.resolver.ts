import { Arg, Args, Authorized, Ctx, Mutation, Query, Resolver } from 'type-graphql'
import type { OAuthContext } from '../settings/oauth-settings.ts'
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
    description: 'Shows what an app asks of an owner. Changes nothing.',
  })
  authorizationScreen(
    @Args(() => AuthorizationArgs) request: AuthorizationArgs,
    @Arg('continueToken', () => String, {
      nullable: true,
      description:
        'The continue token of the previous screen, for which the browser has signed in.',
    })
    continueToken: string | null,
    @Ctx() context: OAuthContext,
  ): Promise<AuthorizationScreen> {
    return describeAuthorization(context, request, continueToken ?? null)
  }

  @Authorized('account', 'anonymous')
  @Mutation(() => ConsentOutcome, {
    description:
      'Approves or denies what an app asks of the owner who calls. Only this operation makes authorization codes.',
  })
  async decideConsent(
    @Args(() => ConsentArgs) { isAllowed, consentToken, budgets, ...request }: ConsentArgs,
    @Ctx() context: OAuthContext,
  ): Promise<ConsentOutcome> {
    const decision = { isAllowed, consentToken, budgets: budgets ?? [] }
    const outcome = await decide(context, request, decision)
    const { caller } = context
    const isCapped = isAllowed && decision.budgets.length > 0
    if (isCapped && caller.kind === 'account') context.invalidate({ accountId: caller.accountId })
    return outcome
  }
}
