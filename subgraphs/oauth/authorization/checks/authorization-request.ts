/** The parameters of an authorization request (RFC 6749 §4.1.1, RFC 7636, OpenID Connect Core §3.1.2.1); null: absent. */
export interface AuthorizationRequest {
  /** Empty: absent, as `redirectUri`. */
  readonly clientId: string
  readonly redirectUri: string
  readonly responseType: string | null
  readonly responseMode: string | null
  readonly scope: string | null
  readonly state: string | null
  readonly nonce: string | null
  readonly codeChallenge: string | null
  readonly codeChallengeMethod: string | null
  readonly prompt: string | null
  readonly maxAge: string | null
  readonly resource: string | null
  readonly request: string | null
  readonly requestUri: string | null
  readonly registration: string | null
}
