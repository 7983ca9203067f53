import { operatorSessionSeconds } from '../../../schema/vocabulary/operators.ts'
import { type Identity, identityOf } from './identity.ts'
import { type FindIssuer, type IssuerSettings, issuerFinder, type KnownIssuer } from './issuer.ts'
import { issuerFailure, NoNewLogin } from './issuer-failure.ts'
import { keepTokens } from './kept-tokens.ts'
import type { OperatorRoles } from './operator-roles.ts'
import { type SignInState, stateCookie } from './sign-in-state.ts'

export interface OidcSettings extends IssuerSettings {
  readonly roles: OperatorRoles
  /** `OPERATOR_BASE_URL` without a trailing slash. */
  readonly baseUrl: string
  /** Seals what a browser keeps on its way. */
  readonly key: Uint8Array
}

/** OpenID Connect at one issuer, for the operators' page. */
export interface OidcClient {
  readonly settings: OidcSettings
  readonly findIssuer: FindIssuer
  /**
   * Some issuers give a refresh token only after asking for consent (OpenID Connect Core §11). One that was seen to is
   * asked so from then on.
   */
  needsConsent: boolean
}

export function oidcClient(settings: OidcSettings): OidcClient {
  return { settings, findIssuer: issuerFinder(settings), needsConsent: false }
}

/** Where the browser goes, and the cookie that it brings back. */
export interface Departure {
  readonly url: string
  readonly cookie: string
}

interface Purpose {
  readonly returnTo: string
  readonly previousHash: string | null
  /** Whether the person must sign in at the issuer again. */
  readonly isStepUp: boolean
  /** A step-up needs a sign-in at the issuer after this: milliseconds since 1970. By default now. */
  readonly loginAfter?: number
}

/** Clocks of the issuer and of this machine may differ by so much. */
const clockToleranceMs = 30_000

/** After a second way to the issuer for its consent, a sign-in within this time needs no third. */
const recentLoginSeconds = 600

/** Sends a browser to the issuer. Throws an `IssuerFailure` if the issuer cannot be asked where that is. */
export async function depart(oidc: OidcClient, purpose: Purpose): Promise<Departure> {
  const { settings, needsConsent } = oidc
  const issuer = await oidc.findIssuer()
  const { client, configuration } = issuer
  const { returnTo, previousHash, isStepUp } = purpose
  const now = Date.now()
  const { loginAfter = now } = purpose
  const isSecondWay = purpose.loginAfter !== undefined
  const scopes = scopesFor(issuer, settings.roles.claim)
  const asksConsent = needsConsent && scopes.includes('offline_access')
  const state: SignInState = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    codeVerifier: client.randomPKCECodeVerifier(),
    ...{ returnTo, previousHash, isStepUp, asksConsent, startedAt: now, loginAfter },
  }
  // With a largest age the issuer says when the person has signed in (OpenID Connect Core §2, auth_time).
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl(settings),
    scope: scopes.join(' '),
    state: state.state,
    nonce: state.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(state.codeVerifier),
    code_challenge_method: 'S256',
    max_age: String(!isStepUp ? operatorSessionSeconds : isSecondWay ? recentLoginSeconds : 0),
    ...(asksConsent && { prompt: 'consent' }),
  })
  return { url: url.href, cookie: stateCookie(settings.key, state) }
}

function callbackUrl({ baseUrl }: OidcSettings): string {
  return `${baseUrl}/operator/callback`
}

/** Scopes that the issuer does not list may be refused. Some have one for the claim of roles, of the same name. */
function scopesFor({ metadata: { scopes_supported: supported } }: KnownIssuer, claim: string) {
  const wanted = ['profile', 'offline_access', claim].filter((scope) => supported?.includes(scope))
  return ['openid', ...new Set(wanted)]
}

/** Who has come back from the issuer. */
export interface Arrival {
  readonly identity: Identity
  /** See `keepTokens`; null: the issuer gave none. */
  readonly refreshToken: string | null
}

/**
 * Redeems the code that the issuer has sent a browser back with. Throws an `IssuerFailure` unless everything about the
 * answer is right: state, issuer, nonce, signature, audience, times, and for a step-up that the person has just signed in.
 */
export async function arrive(
  oidc: OidcClient,
  query: URLSearchParams,
  state: SignInState,
): Promise<Arrival | Departure> {
  const { settings } = oidc
  const issuer = await oidc.findIssuer()
  const { client, configuration } = issuer
  try {
    const tokens = await client.authorizationCodeGrant(
      configuration,
      new URL(`${callbackUrl(settings)}?${query}`),
      {
        expectedState: state.state,
        expectedNonce: state.nonce,
        pkceCodeVerifier: state.codeVerifier,
        idTokenExpected: true,
      },
    )
    const identity = await identityOf(issuer, settings.roles, tokens)
    if (state.isStepUp) requireLogin(identity, state.loginAfter)
    const refreshToken = keepTokens(settings.issuer, tokens)
    if (identity.role === null || refreshToken !== null || !asksAgain(issuer, state, settings)) {
      return { identity, refreshToken }
    }
  } catch (error) {
    throw issuerFailure(error)
  }
  oidc.needsConsent = true
  return depart(oidc, state)
}

/** Whether the issuer might give a refresh token if it were asked for a consent. */
function asksAgain(issuer: KnownIssuer, { asksConsent }: SignInState, { roles }: OidcSettings) {
  return !asksConsent && scopesFor(issuer, roles.claim).includes('offline_access')
}

/** `max_age` stood in a URL that the browser could change, so only the answer shows that somebody has signed in. */
function requireLogin({ authTime }: Identity, loginAfter: number): void {
  if (authTime === null) throw new NoNewLogin('the issuer says no auth_time')
  if (authTime.getTime() < loginAfter - clockToleranceMs) {
    throw new NoNewLogin('auth_time is too old')
  }
}
