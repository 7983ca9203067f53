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

/** Beside the tools, what a gateway without agents does not have (docs/oauth-rules.md 123). */
export const agentPaths: readonly string[] = [resourceMetadataPath, '/v1/oauth/register']

/** The members of a discovery document that such a gateway leaves out. */
export const agentDiscovery = ['registration_endpoint', 'client_id_metadata_document_supported']
