import type { Environment } from '../../../schema/credentials/caller.ts'
import { screenSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { describeScope } from '../../../schema/vocabulary/scope-descriptions.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { isAccountActive } from '../accounts/active-account.ts'
import { leadsToGateway } from '../apps/checks/own-host.ts'
import { type Client, findClient } from '../apps/client.service.ts'
import { issuerOf } from '../provider/issuer.ts'
import type { AuthorizationRequest } from './checks/authorization-request.ts'
import { type Check, type Problem, toField } from './checks/check.ts'
import { checkClient } from './checks/check-client.ts'
import { checkMaxAge } from './checks/check-max-age.ts'
import { checkNonce } from './checks/check-nonce.ts'
import { checkPkce } from './checks/check-pkce.ts'
import { checkPrompt, promptsOf } from './checks/check-prompt.ts'
import { checkRedirectUri } from './checks/check-redirect-uri.ts'
import { checkRequestObject } from './checks/check-request-object.ts'
import { checkResource } from './checks/check-resource.ts'
import { checkResponseMode } from './checks/check-response-mode.ts'
import { checkResponseType } from './checks/check-response-type.ts'
import { checkScope, isKnownScope, scopesOf } from './checks/check-scope.ts'
import { checkState } from './checks/check-state.ts'
import { newConsentToken } from './consent-token.ts'
import { newContinueToken } from './continue-token.ts'
import type { JudgedRequest } from './judged-request.ts'
import { redirectTo } from './redirect.ts'
import { asksForSignIn, mustSignIn } from './sign-in.ts'

/** Only when these checks pass, an answer may redirect to the app (RFC 6749 §4.1.2.1). */
const checksBeforeRedirect: readonly Check[] = [checkClient, checkRedirectUri]

const otherChecks: readonly Check[] = [
  checkRequestObject,
  checkResponseType,
  checkResponseMode,
  checkPkce,
  checkScope,
  checkState,
  checkNonce,
  checkPrompt,
  checkMaxAge,
]

/**
 * Checks every rule of the request. Throws INVALID_REQUEST that names all broken rules, with the
 * code of the RFC and, when an owner has signed in, the redirect that tells the app
 * (docs/oauth-rules.md §2).
 */
export async function judge(
  context: GraphContext,
  request: AuthorizationRequest,
  furtherChecks: readonly Check[] = [],
): Promise<JudgedRequest> {
  const { caller, baseUrls } = context
  const client = await findTrustedClient(context, request.clientId)
  const run = (checks: readonly Check[]) => checks.flatMap((check) => check(request, client))
  const untrusted = run(checksBeforeRedirect)
  const issuer = issuerOf(baseUrls[caller.environment])
  const problems = [
    ...run([...otherChecks, ...furtherChecks]),
    ...checkResource(request.resource, issuer),
  ]
  if (untrusted.length > 0 || !client)
    throw invalidRequest([...untrusted, ...problems].map(toField))
  const [first] = problems
  if (first) {
    const members = { oauth_error: first.oauthError }
    const error = { error: first.oauthError }
    const known = caller.kind === 'account' && isStateUsable(problems)
    throw invalidRequest(problems.map(toField), {
      members: known ? { ...members, redirect_to: redirectTo(request, issuer, error) } : members,
    })
  }
  const wanted = scopesOf(request.scope)
  return {
    client,
    request,
    scopes: wanted.filter((scope) => client.scopes.includes(scope)),
    ignoredScopes: wanted.filter((scope) => !isKnownScope(scope)),
  }
}

/** Apps of an account that is not active are refused, as the account's own calls are. */
async function findTrustedClient(context: GraphContext, clientId: string): Promise<Client | null> {
  const client = await findClient(context.database, clientId, context.caller.environment)
  const isTrusted = client && (await isAccountActive(context, client.accountId))
  return isTrusted ? client : null
}

/** An answer by redirect repeats `state`, so it needs a usable one. */
function isStateUsable(problems: readonly Problem[]): boolean {
  return problems.every(({ field }) => field !== 'state')
}

/** The content of a consent screen (docs/oauth-rules.md 21). Writes nothing. */
export async function describeAuthorization(
  context: GraphContext,
  asked: AuthorizationRequest,
  continueToken: string | null,
) {
  const judged = await judge(context, asked)
  const { client, request, scopes, ignoredScopes } = judged
  const owner = context.caller.kind === 'account' ? context.caller : null
  const granted = owner ? await grantedScopes(context, owner, client.clientId) : []
  const isLoginRequired = !owner || mustSignIn(context, owner, request, continueToken)
  const isConsentRequired =
    promptsOf(request.prompt).includes('consent') || !covers(granted, scopes)
  const expiresAt = new Date(Date.now() + screenSeconds * 1000)
  const isSignInAsked = isLoginRequired && asksForSignIn(request)
  return {
    client: await describeClient(context, judged, owner !== null),
    requestedScope: scopes.map((scope) => describe(scope, granted)),
    ignoredScope: [...ignoredScopes],
    accountName: owner && ((await context.findAccount?.(owner.accountId))?.name ?? null),
    redirectUri: request.redirectUri,
    state: request.state,
    loginRequired: isLoginRequired,
    consentRequired: isConsentRequired,
    redirectTo: owner ? refusalOf(context, request, isLoginRequired, isConsentRequired) : null,
    continueToken: isSignInAsked ? newContinueToken(context, request, expiresAt) : null,
    consentToken:
      owner?.session && !isLoginRequired
        ? newConsentToken(context, owner.session, judged, expiresAt)
        : null,
    expiresAt,
  }
}

function describe(scope: string, granted: readonly string[]) {
  const alreadyGranted = granted.includes(scope)
  return { name: scope, description: describeScope(scope), alreadyGranted }
}

/**
 * With `prompt=none` no screen may be shown: the app gets the reason instead (OpenID Connect Core
 * §3.1.2.6).
 */
function refusalOf(
  { caller, baseUrls }: GraphContext,
  request: AuthorizationRequest,
  isLoginRequired: boolean,
  isConsentRequired: boolean,
): string | null {
  if (request.prompt !== 'none' || !(isLoginRequired || isConsentRequired)) return null
  const error = isLoginRequired ? 'login_required' : 'consent_required'
  return redirectTo(request, issuerOf(baseUrls[caller.environment]), { error })
}

/** Public, except for the name of the registrant, which only a signed-in owner sees. */
export async function describeClient(
  context: GraphContext,
  { client, request }: JudgedRequest,
  isOwnerKnown: boolean,
) {
  const { clientId, clientName, logoUri, clientUri, policyUri, tosUri } = client
  // The addresses of the gateway may be others than when the app was registered.
  const shown = (uri: string | null) => (uri && leadsToGateway(uri, context.baseUrls) ? null : uri)
  const registrant = isOwnerKnown ? await context.findAccount?.(client.accountId) : null
  return {
    clientId,
    name: clientName,
    ...{ logoUri: shown(logoUri), clientUri: shown(clientUri) },
    ...{ policyUri: shown(policyUri), tosUri: shown(tosUri) },
    // The gateway does not verify the people behind an app.
    verified: false,
    redirectHost: hostOf(request.redirectUri),
    ownerName: registrant?.name ?? null,
  }
}

/** A private-use scheme has no host, so the scheme itself is shown. */
function hostOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri)
  return host || protocol.replace(/:$/, '')
}

const rememberedConsent: Statement = {
  name: 'remembered-consent',
  text: `
    SELECT scopes FROM oauth.consent
    WHERE account_id = $1 AND environment = $2 AND client_id = $3 AND revoked_at IS NULL`,
}

/** The scopes that the owner has granted to the app before. */
export async function grantedScopes(
  { database }: GraphContext,
  { accountId, environment }: { readonly accountId: string; readonly environment: Environment },
  clientId: string,
): Promise<readonly string[]> {
  const values = [accountId, environment, clientId]
  const [row] = await database.query<{ scopes: string[] }>(rememberedConsent, values)
  return row?.scopes ?? []
}

export function covers(granted: readonly string[], scopes: readonly string[]): boolean {
  return scopes.length > 0 && scopes.every((scope) => granted.includes(scope))
}
