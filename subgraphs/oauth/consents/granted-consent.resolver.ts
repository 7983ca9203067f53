import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { consentsOf, withdrawConsent } from './granted-consent.service.ts'
import { GrantedConsent, GrantedConsentPage } from './granted-consent.type.ts'

@Resolver(() => GrantedConsent)
export class GrantedConsentResolver {
  @Authorized('account')
  @Query(() => GrantedConsentPage, { description: 'What the caller has granted, newest first.' })
  consents(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<GrantedConsentPage> {
    return readPage(context, consentsOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account')
  @Mutation(() => GrantedConsent, {
    description: "Withdraws what the caller has granted to an app, and ends the app's tokens.",
  })
  async withdrawConsent(
    @Arg('clientId', () => ID, { description: 'The app: `app_…`' }) clientId: string,
    @Ctx() context: GraphContext,
  ): Promise<GrantedConsent> {
    const consent = await withdrawConsent(context, clientId)
    context.invalidate({ accountId: requireAccount(context).accountId })
    return consent
  }
}
