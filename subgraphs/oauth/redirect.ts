import type { AuthorizationRequest } from './authorization-request.ts'

/**
 * Where the app gets its answer: its redirect URI with the answer in the query, `state` as it came, and
 * always `iss` (RFC 6749 §4.1.2, RFC 9207 §2). A query of its own stays.
 */
export function redirectTo(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value)
  if (state !== null) url.searchParams.append('state', state)
  url.searchParams.append('iss', issuer)
  return url.href
}
