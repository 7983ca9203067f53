/**
 * What an access token is for (RFC 8707): `api` is REST, `mcp` is the tools of agents at `{base_url}/mcp`. One refuses
 * the tokens of the other; userinfo takes both.
 */
export const audiences = ['api', 'mcp'] as const
export type Audience = (typeof audiences)[number]

/** The path of the document that tells clients of the tools where to get a token (RFC 9728 §3.1). */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource/mcp'

/** The identifier of the tools (RFC 9728 §2). */
export function mcpResourceOf(baseUrl: string): string {
  return `${baseUrl}/mcp`
}

/**
 * The audience that a `resource` names; null: it is neither. As RFC 8707 §2 and the protocol of agents ask, the case of
 * scheme and host does not matter, nor does a slash at the end.
 */
export function audienceOfResource(resource: string, base: string): Audience | null {
  const named = canonical(resource)
  if (named === null) return null
  if (named === canonical(mcpResourceOf(base))) return 'mcp'
  return named === canonical(base) || named === canonical(`${base}/v1`) ? 'api' : null
}

function canonical(resource: string): string | null {
  const url = /[#?@\\\s]/.test(resource) ? null : URL.parse(resource)
  return url?.href.replace(/\/$/, '') ?? null
}

/** What a gateway serves of what is for agents; unless told, all of it. */
export interface ServedToAgents {
  /** Whether it has the tools, and what is of use for them alone. */
  readonly hasAgents?: boolean
  /** Whether apps may register themselves there. */
  readonly takesRegistrations?: boolean
}

const registrationPath = '/v1/oauth/register'
const registrationMember = 'registration_endpoint'

/**
 * What a gateway has not, beside the tools: paths, and members of a discovery document (docs/oauth-rules.md 123
 * and 134).
 */
export function absentForAgents({ hasAgents = true, takesRegistrations = true }: ServedToAgents): {
  readonly paths: readonly string[]
  readonly discovery: readonly string[]
} {
  if (hasAgents && takesRegistrations) return { paths: [], discovery: [] }
  if (hasAgents) return { paths: [registrationPath], discovery: [registrationMember] }
  return {
    paths: [resourceMetadataPath, registrationPath, '/v1/account/agents'],
    discovery: [registrationMember, 'client_id_metadata_document_supported'],
  }
}
