import { agentSchemes } from '../../../../schema/vocabulary/agent-schemes.ts'
import { hasAtMost } from '../../../../schema/vocabulary/characters.ts'
import { plainText, visible } from '../../../../schema/vocabulary/display-name.ts'
import { cut } from '../../../../schema/vocabulary/field-problems.ts'
import { agentScopes } from '../../../../schema/vocabulary/scopes.ts'
import type { GraphContext } from '../../../shared/graph/context.ts'
import { registeredRedirectUriProblem } from './check-registered-redirect-uri.ts'
import { webLinkProblem } from './check-web-link.ts'
import { leadsToGateway } from './own-host.ts'

/** What an app says about itself that nobody has registered by hand (RFC 7591 §2). */
export interface AgentMetadata {
  readonly clientName: string
  /** As they were written. */
  readonly redirectUris: readonly string[]
  readonly grantTypes: readonly string[]
  readonly scopes: readonly string[]
  readonly clientUri: string | null
  readonly policyUri: string | null
  readonly tosUri: string | null
}

/** RFC 7591 §3.2.2. */
export interface MetadataProblem {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata'
  readonly description: string
}

interface MetadataRules {
  readonly baseUrls: GraphContext['baseUrls']
  /** Links are kept that lead to this host; null: none is. */
  readonly linkHost: string | null
}

const maxNameLength = 100
const maxRedirectUris = 20
const maxScopeLength = 2000
const maxListLength = 20
const offeredGrants = ['authorization_code', 'refresh_token']

/**
 * Reads what an app says about itself. Members that it does not know, and scopes beyond `agentScopes`, are left out;
 * a secret is never agreed on.
 */
export function readAgentMetadata(
  members: Readonly<Record<string, unknown>>,
  rules: MetadataRules,
): AgentMetadata | MetadataProblem {
  const { client_name: name, redirect_uris: uris } = members
  const nameProblem = nameProblemOf(name)
  if (nameProblem !== null) return wrong(`client_name ${nameProblem}`)
  const uriProblem = redirectProblemOf(uris, rules.baseUrls)
  if (uriProblem !== null) return { error: 'invalid_redirect_uri', description: uriProblem }
  const grants = members.grant_types ?? ['authorization_code']
  if (!isTextList(grants) || !grants.includes('authorization_code')) {
    return wrong('grant_types must be a list with authorization_code')
  }
  const responses = members.response_types ?? ['code']
  if (!isTextList(responses) || !responses.includes('code')) {
    return wrong('response_types must be a list with code')
  }
  const scopes = scopesOf(members.scope)
  if (!scopes || scopes.length === 0) return wrong('scope must have a scope that agents may have')
  const linkOf = (uri: unknown) => (isLinkTo(rules.linkHost, uri) ? uri : null)
  return {
    clientName: String(name),
    redirectUris: [...new Set(isTextList(uris) ? uris : [])],
    grantTypes: offeredGrants.filter((grant) => grants.includes(grant)),
    scopes,
    clientUri: linkOf(members.client_uri),
    policyUri: linkOf(members.policy_uri),
    tosUri: linkOf(members.tos_uri),
  }
}

export function isMetadataProblem(read: AgentMetadata | MetadataProblem): read is MetadataProblem {
  return 'error' in read
}

function wrong(description: string): MetadataProblem {
  return { error: 'invalid_client_metadata', description }
}

function nameProblemOf(name: unknown): string | null {
  const isOfLength = typeof name === 'string' && name !== '' && hasAtMost(name, maxNameLength)
  if (!isOfLength) return `must be a text of 1 to ${maxNameLength} characters`
  if (!visible.test(name)) return 'must not be blank'
  const isPlain = plainText.test(name) && name.isWellFormed()
  return isPlain ? null : 'must not contain control characters'
}

function redirectProblemOf(uris: unknown, baseUrls: GraphContext['baseUrls']): string | null {
  if (!isTextList(uris) || uris.length === 0) {
    return `redirect_uris must be a list of 1 to ${maxRedirectUris} URIs`
  }
  for (const uri of uris) {
    const own = leadsToGateway(uri, baseUrls) ? 'must not lead to this gateway' : null
    const problem = registeredRedirectUriProblem(uri, 'native', agentSchemes) ?? own
    if (problem !== null) return `redirect_uris: ${cut(uri)} ${problem}`
  }
  return null
}

function isTextList(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= maxListLength &&
    value.every((one) => typeof one === 'string')
  )
}

/** All that agents may have, without a scope; null: it is no text of scopes. */
function scopesOf(scope: unknown): readonly string[] | null {
  if (scope === undefined || scope === null || scope === '') return agentScopes
  if (typeof scope !== 'string' || !hasAtMost(scope, maxScopeLength)) return null
  const wanted = scope.split(' ')
  return agentScopes.filter((name) => wanted.includes(name))
}

function isLinkTo(host: string | null, uri: unknown): uri is string {
  if (host === null || typeof uri !== 'string' || webLinkProblem(uri) !== null) return false
  return URL.parse(uri)?.hostname === host
}
