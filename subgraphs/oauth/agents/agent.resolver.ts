import { Arg, Authorized, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import { mcpResourceOf } from '../../../schema/vocabulary/audiences.ts'
import { mcpScopes } from '../../../schema/vocabulary/scopes.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { OAuthApp } from '../apps/app.type.ts'
import { issuerOf } from '../provider/issuer.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { OAuthFailure } from '../tokens/grants/oauth-failure.ts'
import { OAuthErrorType } from '../tokens/token.type.ts'
import {
  AgentSettings,
  ProtectedResource,
  SelfRegistration,
  SelfRegistrationInput,
} from './agent.type.ts'
import { changeAgentSettings, findAgentSettings } from './agent-settings.service.ts'
import { allowHost, denyHost, listDeniedHosts } from './app-hosts.service.ts'
import { registerItself } from './app-registration.service.ts'

const hostDescription = 'The name of the host, without a port.'

/** Throws NOT_FOUND where the gateway serves no agents. */
function requireAgents({ agents }: OAuthContext['oauth']): void {
  if (!agents) throw new DomainError('NOT_FOUND', 'There are no tools for agents here.')
}

@Resolver()
export class AgentResolver {
  @Query(() => ProtectedResource, {
    description:
      'Returns where agents get tokens for the tools, and for which scopes; NOT_FOUND where there are no tools.',
  })
  protectedResource(@Ctx() { baseUrls, docsUrl, caller, oauth }: OAuthContext): ProtectedResource {
    requireAgents(oauth)
    const baseUrl = baseUrls[caller.environment]
    return {
      resource: mcpResourceOf(baseUrl),
      authorizationServers: [issuerOf(baseUrl)],
      // A refresh token is no matter of the resource.
      scopesSupported: [...mcpScopes],
      bearerMethodsSupported: ['header'],
      resourceName: 'Credit gateway tools',
      resourceDocumentation: `${docsUrl}/agents`,
    }
  }

  @Authorized('anonymous')
  @Mutation(() => SelfRegistration, {
    description: 'Registers an app that describes itself, of no account (RFC 7591).',
  })
  async registerItself(
    @Arg('input', () => SelfRegistrationInput, { description: 'The app.' })
    input: SelfRegistrationInput,
    @Ctx() context: OAuthContext,
  ): Promise<OAuthApp | OAuthErrorType> {
    const registered = await registerItself(context, {
      client_name: input.clientName ?? undefined,
      redirect_uris: input.redirectUris ?? undefined,
      grant_types: input.grantTypes ?? undefined,
      response_types: input.responseTypes ?? undefined,
      scope: input.scope ?? undefined,
    })
    if (registered instanceof OAuthFailure) return Object.assign(new OAuthErrorType(), registered)
    const { status, scope, responseTypes, clientIdIssuedAt } = registered
    return Object.assign(new OAuthApp(), registered, {
      ...{ status, scope, responseTypes, clientIdIssuedAt },
    })
  }

  @Authorized('account')
  @Query(() => AgentSettings, { description: "Returns what the caller's account permits agents." })
  async agentSettings(@Ctx() context: OAuthContext): Promise<AgentSettings> {
    requireAgents(context.oauth)
    return findAgentSettings(context.database, requireAccount(context))
  }

  @Authorized('account')
  @Mutation(() => AgentSettings, {
    description: "Changes what the caller's account permits agents.",
  })
  async changeAgentSettings(
    @Arg('allowUnverifiedApps', () => Boolean, {
      description: 'Whether apps that nobody has verified may ask for approval.',
    })
    allowUnverifiedApps: boolean,
    @Ctx() context: OAuthContext,
  ): Promise<AgentSettings> {
    requireAgents(context.oauth)
    return changeAgentSettings(context, allowUnverifiedApps)
  }

  @Authorized('readonly')
  @Query(() => [String], {
    description: 'Lists the first 1,000 hosts whose apps are denied, in alphabetical order.',
  })
  deniedAppHosts(@Ctx() { database }: GraphContext): Promise<string[]> {
    return listDeniedHosts(database)
  }

  @Authorized('admin')
  @Mutation(() => Int, {
    description:
      'Denies all apps of a host that nobody registered by hand, in both environments, and ends what was granted to them; returns how many accounts had granted something.',
  })
  async denyAppHost(
    @Arg('host', () => String, { description: hostDescription }) host: string,
    @Ctx() context: GraphContext,
  ): Promise<number> {
    const { accountIds } = await denyHost(context, host)
    for (const accountId of accountIds) context.invalidate({ accountId })
    return accountIds.length
  }

  @Authorized('admin')
  @Mutation(() => Boolean, {
    description:
      'Permits the apps of a host again; what was granted to them does not come back. Returns whether the host was denied.',
  })
  allowAppHost(
    @Arg('host', () => String, { description: hostDescription }) host: string,
    @Ctx() context: GraphContext,
  ): Promise<boolean> {
    return allowHost(context, host)
  }
}
