import type { AuthorizationRequest } from './checks/authorization-request.ts'

/**
 * The address of the app's answer: its redirect URI with the answer in the query, `state` as it
 * came, and always `iss` (RFC 6749 §4.1.2, RFC 9207 §2). An existing query stays as it is written.
 */
export function redirectTo(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const url = new URL(redirectUri)
  const added = new URLSearchParams(answer)
  if (state !== null) added.append('state', state)
  added.append('iss', issuer)
  url.search = url.search === '' ? `${added}` : `${url.search}&${added}`
  return url.href
}
