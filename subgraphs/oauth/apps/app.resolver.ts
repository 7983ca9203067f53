import { Arg, Args, Authorized, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { OnceInput } from '../../shared/changes/once.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { appsOf, registerApp, suspendApp } from './app.service.ts'
import { OAuthApp, OAuthAppPage, RegisteredOAuthApp, RegisterOAuthAppInput } from './app.type.ts'

@Resolver(() => OAuthApp)
export class OAuthAppResolver {
  @Authorized('account')
  @Query(() => OAuthAppPage, { description: "Lists the caller's OAuth apps, newest first." })
  oauthApps(
    @Args(() => PageArgs) page: PageArgs,
    @Ctx() context: GraphContext,
  ): Promise<OAuthAppPage> {
    return readPage(context, appsOf(context.database, requireAccount(context)), page)
  }

  @Authorized('account')
  @Mutation(() => RegisteredOAuthApp, { description: "Registers an app of the caller's account." })
  async registerOAuthApp(
    @Arg('input', () => RegisterOAuthAppInput, { description: 'The new app.' })
    input: RegisterOAuthAppInput,
    @Arg('once', () => OnceInput, {
      nullable: true,
      description:
        'Every attempt of the same request has this reference. A later attempt returns the app of the first, with a new secret.',
    })
    once: OnceInput | null,
    @Ctx() context: GraphContext,
  ): Promise<RegisteredOAuthApp> {
    const { app, clientSecret } = await registerApp(context, input, once ?? null)
    context.invalidate({ accountId: ownerNameOf(app) })
    const clientSecretExpiresAt = clientSecret === null ? null : 0
    return Object.assign(app, { clientSecret, clientSecretExpiresAt })
  }

  @Authorized('account', 'admin')
  @Mutation(() => OAuthApp, {
    description:
      "Suspends an app of the caller's account, or for an operator any app, and revokes everything that was granted to it.",
  })
  async suspendOAuthApp(
    @Arg('clientId', () => ID, { description: '`app_…`' }) clientId: string,
    @Ctx() context: GraphContext,
  ): Promise<OAuthApp> {
    const { app, accountIds } = await suspendApp(context, clientId)
    for (const accountId of [ownerNameOf(app), ...accountIds]) context.invalidate({ accountId })
    return app
  }
}

/** By this name facades remember an app: that of its account, or its own if it has none. */
function ownerNameOf({ accountId, clientId }: OAuthApp & { accountId?: string | null }): string {
  return accountId ?? clientId
}
