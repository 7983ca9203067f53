import type { Environment } from '../../../schema/credentials/caller.ts'
import { clientBlock } from '../../../schema/vocabulary/client-block.ts'
import { isDocumentAddress } from '../../../schema/vocabulary/document-address.ts'
import { screenSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { describeScope } from '../../../schema/vocabulary/scope-descriptions.ts'
import type { Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { invalidRequest } from '../../shared/graph/errors.ts'
import { isAccountActive } from '../accounts/active-account.ts'
import { isDenied } from '../agents/app-hosts.service.ts'
import { budgetsToApprove, isNeverSilent, requireAllowed } from '../agents/unverified-apps.ts'
import { AppOrigin } from '../apps/app.type.ts'
import { hostsOfApp } from '../apps/checks/app-hosts.ts'
import { leadsToGateway } from '../apps/checks/own-host.ts'
import { type Client, clientOfDocument, findClient } from '../apps/client.service.ts'
import { DocumentProblem } from '../documents/client-documents.ts'
import { issuerOf } from '../provider/issuer.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { AuthorizationRequest } from './checks/authorization-request.ts'
import { type Check, type Problem, problem, toField } from './checks/check.ts'
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

/** Those of client and redirect URI come before: without them, no answer may redirect to the app (RFC 6749 §4.1.2.1). */
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
  context: OAuthContext,
  request: AuthorizationRequest,
  furtherChecks: readonly Check[] = [],
): Promise<JudgedRequest> {
  const { caller, baseUrls } = context
  const found = await findTrustedClient(context, request.clientId)
  const client = found instanceof DocumentProblem ? null : found
  const run = (checks: readonly Check[]) => checks.flatMap((check) => check(request, client))
  const untrusted = [
    ...(found instanceof DocumentProblem
      ? problem('client_id', found.message)
      : checkClient(request, client)),
    ...checkRedirectUri(request, client),
  ]
  const issuer = issuerOf(baseUrls[caller.environment])
  const target = checkResource(request.resource, client, context)
  const problems = [...run([...otherChecks, ...furtherChecks]), ...target.problems]
  if (untrusted.length > 0 || !client)
    throw invalidRequest([...untrusted, ...problems].map(toField), {
      internal: found instanceof DocumentProblem ? found.internal : undefined,
    })
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
    audience: target.audience,
    scopes: wanted.filter((scope) => client.scopes.includes(scope)),
    ignoredScopes: wanted.filter((scope) => !isKnownScope(scope)),
  }
}

/**
 * Apps of an account that is not active are refused, as the account's own calls are, and apps of a host that an
 * operator denies.
 */
async function findTrustedClient(
  context: OAuthContext,
  clientId: string,
): Promise<Client | DocumentProblem | null> {
  const client = await findOrFetch(context, clientId)
  if (client === null || client instanceof DocumentProblem) return client
  const isTrusted =
    client.accountId === null
      ? context.oauth.agents && !(await isDenied(context.database, client.hosts))
      : await isAccountActive(context, client.accountId)
  return isTrusted ? client : null
}

async function findOrFetch(
  { database, caller, baseUrls, oauth }: OAuthContext,
  clientId: string,
): Promise<Client | DocumentProblem | null> {
  const { environment, address } = caller
  if (!isDocumentAddress(clientId)) return findClient(database, clientId, environment)
  if (!oauth.agents) return null
  // A denied host is not even asked.
  if (URL.canParse(clientId) && (await isDenied(database, hostsOfApp(clientId, [])))) return null
  const document = await oauth.agents.documents.find(clientId, clientBlock(address ?? ''), baseUrls)
  if (document instanceof DocumentProblem) return document
  return clientOfDocument(database, document, environment)
}

/** An answer by redirect repeats `state`, so it needs a usable one. */
function isStateUsable(problems: readonly Problem[]): boolean {
  return problems.every(({ field }) => field !== 'state')
}

/** The content of a consent screen (docs/oauth-rules.md 21). Writes nothing. */
export async function describeAuthorization(
  context: OAuthContext,
  asked: AuthorizationRequest,
  continueToken: string | null,
) {
  const judged = await judge(context, asked)
  const { client, request, scopes, ignoredScopes } = judged
  const owner = context.caller.kind === 'account' ? context.caller : null
  const granted = owner ? await grantedScopes(context, owner, client) : []
  if (owner) await requireAllowed(context, owner, client)
  const budgets = owner ? await budgetsToApprove(context, owner, client) : null
  const isLoginRequired = !owner || mustSignIn(context, owner, request, continueToken)
  const isConsentRequired =
    promptsOf(request.prompt).includes('consent') ||
    !covers(granted, scopes) ||
    isNeverSilent(client, request)
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
    budgets,
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
  const { accountId, origin, document, createdAt } = client
  const registrant =
    isOwnerKnown && accountId !== null ? await context.findAccount?.(accountId) : null
  const isUnverified = origin !== AppOrigin.account
  return {
    clientId,
    origin: isUnverified ? origin : null,
    documentUrl: document?.address ?? null,
    documentHost: document?.host ?? null,
    registeredAt: origin === AppOrigin.registration ? createdAt : null,
    name: clientName,
    ...{ logoUri: shown(logoUri), clientUri: shown(clientUri) },
    ...{ policyUri: shown(policyUri), tosUri: shown(tosUri) },
    // The gateway does not verify the people behind an app.
    verified: false,
    redirectHost: hostOf(request.redirectUri),
    ownerName: registrant?.name ?? null,
  }
}

/** The host of a private-use scheme proves nothing, so the scheme itself is shown. */
function hostOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? host : protocol.replace(/:$/, '')
}

const rememberedConsent: Statement = {
  name: 'remembered-consent',
  text: `
    SELECT scopes, client_name AS "clientName", redirect_uris AS "redirectUris" FROM oauth.consent
    WHERE account_id = $1 AND environment = $2 AND client_id = $3 AND revoked_at IS NULL`,
}

interface RememberedConsent {
  readonly scopes: string[]
  readonly clientName: string | null
  readonly redirectUris: string[] | null
}

/**
 * The scopes that the owner has granted to the app before: none, if its document has had another name or other redirect
 * URIs since.
 */
export async function grantedScopes(
  { database }: GraphContext,
  { accountId, environment }: { readonly accountId: string; readonly environment: Environment },
  client: Client,
): Promise<readonly string[]> {
  const values = [accountId, environment, client.clientId]
  const [row] = await database.query<RememberedConsent>(rememberedConsent, values)
  return row && isAsApproved(row, client) ? row.scopes : []
}

function isAsApproved(approved: RememberedConsent, { document }: Client): boolean {
  if (!document) return true
  const { clientName, redirectUris } = approved
  return clientName === document.clientName && isSameList(redirectUris ?? [], document.redirectUris)
}

function isSameList(before: readonly string[], now: readonly string[]): boolean {
  return before.length === now.length && before.every((uri) => now.includes(uri))
}

export function covers(granted: readonly string[], scopes: readonly string[]): boolean {
  return scopes.length > 0 && scopes.every((scope) => granted.includes(scope))
}
