/**
 * Schemes without a dot of agents that people use, in which these receive the answer to an authorization request.
 * Any other private-use scheme is a reversed domain name, as RFC 8252 §7.1 asks. PKCE protects the code, whoever
 * receives it (RFC 8252 §8.6).
 */
export const agentSchemes: ReadonlySet<string> = new Set([
  'claude',
  'cursor',
  'raycast',
  'vscode',
  'vscode-insiders',
  'warp',
  'windsurf',
  'zed',
])
