import {
  type Audience,
  audienceOfResource,
  mcpResourceOf,
} from '../../../../schema/vocabulary/audiences.ts'
import { AppOrigin } from '../../apps/app.type.ts'
import type { Client } from '../../apps/client.service.ts'
import type { OAuthContext } from '../../settings/oauth-settings.ts'
import { type Problem, problem } from './check.ts'

/** The context that tells which resources there are. */
export type ResourceContext = Pick<OAuthContext, 'baseUrls' | 'oauth' | 'caller'>

/** The audience that a `resource` names (RFC 8707 §2); null: there is no such one here. */
export function audienceNamed(resource: string, context: ResourceContext): Audience | null {
  const { baseUrls, oauth, caller } = context
  const audience = audienceOfResource(resource, baseUrls[caller.environment])
  return audience === 'mcp' && !oauth.agents ? null : audience
}

/**
 * The audience of the tokens that a request asks for, or why there is none: without `resource` it is REST. An app that
 * nobody registered by hand can only ask for the tools of agents, which is its default too.
 */
export function checkResource(
  resource: string | null,
  client: Client | null,
  context: ResourceContext,
): { readonly audience: Audience; readonly problems: readonly Problem[] } {
  const { baseUrls, caller } = context
  const base = baseUrls[caller.environment]
  const only = client && client.origin !== AppOrigin.account ? 'mcp' : null
  const audience = resource === null ? (only ?? 'api') : audienceNamed(resource, context)
  if (audience && (only === null || audience === only)) return { audience, problems: [] }
  const accepted = only === null ? `${base}/v1` : mcpResourceOf(base)
  return {
    audience: only ?? 'api',
    problems: problem('resource', `must be ${accepted}`, 'invalid_target'),
  }
}
