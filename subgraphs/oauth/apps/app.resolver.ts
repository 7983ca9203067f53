import { Arg, Args, Authorized, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { OnceInput } from '../../shared/changes/once.type.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { PageArgs } from '../../shared/lists/page.type.ts'
import { readPage } from '../../shared/lists/pagination.ts'
import { appsOf, type EndedGrants, readApp, registerApp, suspendApp } from './app.service.ts'
import {
  ChangeOAuthAppInput,
  OAuthApp,
  OAuthAppPage,
  RegisteredOAuthApp,
  RegisterOAuthAppInput,
  RotatedOAuthApp,
} from './app.type.ts'
import { changeApp, rotateAppSecret } from './app-changes.service.ts'

const whichApp = { description: '`app_…`' }

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
  @Query(() => OAuthApp, { description: 'Finds one OAuth app of the caller.' })
  oauthApp(
    @Arg('clientId', () => ID, whichApp) clientId: string,
    @Ctx() context: GraphContext,
  ): Promise<OAuthApp> {
    return readApp(context, requireAccount(context), clientId)
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

  @Authorized('account')
  @Mutation(() => OAuthApp, {
    description:
      "Changes an app of the caller's account. A new redirect host, or another scope, ends everything that was granted to it.",
  })
  async changeOAuthApp(
    @Arg('clientId', () => ID, whichApp) clientId: string,
    @Arg('input', () => ChangeOAuthAppInput, { description: 'The new values.' })
    input: ChangeOAuthAppInput,
    @Ctx() context: GraphContext,
  ): Promise<OAuthApp> {
    return announced(context, await changeApp(context, clientId, input))
  }

  @Authorized('account')
  @Mutation(() => RotatedOAuthApp, {
    description: "Replaces the secret of an app of the caller's account.",
  })
  async rotateOAuthAppSecret(
    @Arg('clientId', () => ID, whichApp) clientId: string,
    @Arg('overlapSeconds', () => Int, {
      description: 'The time for which the secret before is accepted too: at most 604800.',
    })
    overlapSeconds: number,
    @Arg('once', () => OnceInput, {
      nullable: true,
      description:
        'Every attempt of the same request has this reference. A later attempt returns the secret of the first.',
    })
    once: OnceInput | null,
    @Ctx() context: GraphContext,
  ): Promise<RotatedOAuthApp> {
    const rotation = { overlapSeconds, once: once ?? null }
    const rotated = await rotateAppSecret(context, clientId, rotation)
    context.invalidate({ accountId: ownerNameOf(rotated) })
    return rotated
  }

  @Authorized('account', 'admin')
  @Mutation(() => OAuthApp, {
    description:
      "Suspends an app of the caller's account, or for an operator any app, and revokes everything that was granted to it.",
  })
  async suspendOAuthApp(
    @Arg('clientId', () => ID, whichApp) clientId: string,
    @Ctx() context: GraphContext,
  ): Promise<OAuthApp> {
    return announced(context, await suspendApp(context, clientId))
  }
}

/** This process forgets its cached facts about the app, and about those whose grants ended, before the answer leaves. */
function announced(context: GraphContext, { app, accountIds }: EndedGrants): OAuthApp {
  for (const accountId of [ownerNameOf(app), ...accountIds]) context.invalidate({ accountId })
  return app
}

/** By this name facades remember an app: that of its account, or its own if it has none. */
function ownerNameOf({ accountId, clientId }: OAuthApp & { accountId?: string | null }): string {
  return accountId ?? clientId
}
