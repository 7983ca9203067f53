import type { AccountCaller } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { codeSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { describeScope } from '../../../schema/vocabulary/scope-descriptions.ts'
import { coversScope, coversTokenScope } from '../../../schema/vocabulary/scopes.ts'
import type { BudgetInput } from '../../shared/budgets/budget.type.ts'
import { makeChange, recordRefusal } from '../../shared/changes/change.ts'
import { announce, newEvent } from '../../shared/changes/events.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { DomainError, invalidRequest } from '../../shared/graph/errors.ts'
import { budgetChecks, noteOfBudget } from '../../shared/spending/budget-input.ts'
import { requireUncapped } from '../../shared/spending/capped.ts'
import { isNeverSilent, requireAllowed, requireBudgets } from '../agents/unverified-apps.ts'
import { settleBudgets, storeBudgets } from '../consents/consent-budgets.service.ts'
import { issuerOf } from '../provider/issuer.ts'
import { keepSession } from '../sessions/session.service.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { type ApprovedRequest, storeApproval } from './approval.ts'
import { covers, describeClient, grantedScopes, judge } from './authorization.service.ts'
import type { AuthorizationRequest } from './checks/authorization-request.ts'
import { promptsOf } from './checks/check-prompt.ts'
import { checkScopeIsThere } from './checks/check-scope.ts'
import { readConsentToken } from './consent-token.ts'
import type { JudgedRequest } from './judged-request.ts'
import { redirectTo } from './redirect.ts'
import { asksForSignIn, isSignInOver } from './sign-in.ts'

/** The decision of an owner, and the proof of it. */
export interface Decision {
  readonly isAllowed: boolean
  /** Sent by a browser: it proves that the decision is about the request that was shown. */
  readonly consentToken: string | null
  /** The budgets of the app from now on; without any, the old ones stay. */
  readonly budgets: readonly BudgetInput[]
}

const needed = 'oauth:consent'

/**
 * Stores an owner's decision about the request of an app. Codes are issued here only, and each
 * belongs to an owner (docs/oauth-rules.md §1.3 and §4). Without an owner nothing is written. Every
 * rule of the request is checked again.
 */
export async function decide(
  context: OAuthContext,
  asked: AuthorizationRequest,
  decision: Decision,
) {
  const judged = await judge(context, asked, [checkScopeIsThere])
  const { caller } = context
  if (caller.kind !== 'account' || isSignInOver(caller, asked)) {
    return askToSignIn(context, judged)
  }
  const change = {
    owner: caller,
    action: decision.isAllowed ? 'consent.grant' : 'consent.deny',
    resourceId: judged.client.clientId,
  }
  const used = await recordRefusal(context, change, async () => {
    requirePermission(caller, decision.isAllowed ? judged.scopes : [])
    requireAll(budgetChecks(decision.budgets))
    if (decision.isAllowed) await requireApprovable(context, caller, judged, decision)
    return caller.session ? requireShown(context, caller.session, judged, decision) : null
  })
  if (decision.isAllowed && (await isConsentMissing(context, caller, judged))) {
    return { status: 'consent_required' }
  }
  const budgets = decision.isAllowed ? decision.budgets : []
  const note = () => ({
    details: {
      scope: judged.scopes.join(' '),
      ...(budgets.length > 0 && { budgets: budgets.map(noteOfBudget) }),
    },
  })
  const { clientId } = judged.client
  const approved = { ...judged, isCapped: budgets.length > 0 }
  if (approved.isCapped) {
    // The stored values must belong to this decision only.
    if (used) {
      await makeChange(context, { ...change, note: () => null }, (tx) => useOnce(tx, caller, used))
    }
    await storeBudgets(context, caller, clientId, budgets)
  }
  // The decision needs rows of two accounts: the owner's, and the registrant's of the app.
  const wide = { ...context, database: context.database.as(allTenants) }
  const outcome = await makeChange(wide, { ...change, note }, async (tx) => {
    if (used) {
      if (!approved.isCapped) await useOnce(tx, caller, used)
      await requireSession(tx, caller, asked)
    }
    return decision.isAllowed ? approve(tx, context, caller, approved) : deny(context, judged)
  })
  if (approved.isCapped) await settleBudgets(context, caller, clientId, budgets)
  return outcome
}

async function requireApprovable(
  context: OAuthContext,
  caller: AccountCaller,
  { client, request }: JudgedRequest,
  { budgets }: Decision,
): Promise<void> {
  requireUncapped(caller, 'approve apps')
  await requireAllowed(context, caller, client)
  // A request that no person may see is not approved, with or without a budget.
  if (!isNeverSilent(client, request)) await requireBudgets(context, caller, client, budgets)
}

async function askToSignIn(context: GraphContext, judged: JudgedRequest) {
  const issuer = issuerOf(context.baseUrls[context.caller.environment])
  return {
    status: 'login_required',
    login: { methods: ['api_key_bearer', 'session'], sessionEndpoint: `${issuer}/oauth/session` },
    client: await describeClient(context, judged, false),
    requestedScope: judged.scopes.map((name) => ({
      name,
      description: describeScope(name),
      alreadyGranted: false,
    })),
  }
}

/** A key cannot grant to an app what it may not do itself (docs/oauth-rules.md 43). */
function requirePermission({ keyId, scopes }: AccountCaller, granted: readonly string[]): void {
  const missing = [
    ...(coversScope(scopes, needed) ? [] : [needed]),
    ...granted.filter((scope) => !coversTokenScope(scopes, scope)),
  ]
  if (missing.length === 0) return
  const plural = missing.length > 1 ? 's' : ''
  const holder = keyId === null ? 'The role of this session' : 'This API key'
  throw new DomainError('FORBIDDEN', `${holder} lacks the scope${plural} ${missing.join(', ')}.`, {
    scope: missing[0],
  })
}

interface UsedToken {
  readonly jti: string
  readonly expiresAt: Date
}

function requireShown(
  context: GraphContext,
  session: NonNullable<AccountCaller['session']>,
  judged: JudgedRequest,
  { consentToken }: Decision,
): UsedToken {
  const shown = consentToken && readConsentToken(context, session, judged, consentToken)
  if (shown) return shown
  throw badConsentToken(consentToken === null ? 'is required' : 'is not for this request')
}

function badConsentToken(message: string): DomainError {
  return invalidRequest([{ field: 'consent_token', in: 'query', message }])
}

/**
 * With `prompt=none` (OpenID Connect Core §3.1.2.1): an earlier consent is needed, and there is
 * none.
 */
async function isConsentMissing(
  context: GraphContext,
  caller: AccountCaller,
  { client, request, scopes }: JudgedRequest,
): Promise<boolean> {
  if (!promptsOf(request.prompt).includes('none')) return false
  if (isNeverSilent(client, request)) return true
  return !covers(await grantedScopes(context, caller, client), scopes)
}

const insertUsedToken: Statement = {
  name: 'use-consent-token',
  text: `
    INSERT INTO oauth.used_consent_token (jti, account_id, expires_at) VALUES ($1, $2, $3)
    ON CONFLICT (jti) DO NOTHING RETURNING jti`,
}

async function useOnce(
  tx: Transaction,
  caller: AccountCaller,
  { jti, expiresAt }: UsedToken,
): Promise<void> {
  const used = await tx.query(insertUsedToken, [jti, caller.accountId, expiresAt])
  if (used.length === 0) throw badConsentToken('was used before')
}

/** After a sign-out, a decision in the session is refused. */
async function requireSession(
  tx: Transaction,
  caller: AccountCaller,
  asked: AuthorizationRequest,
): Promise<void> {
  const isForThis = asksForSignIn(asked)
  if (await keepSession(tx, caller, isForThis)) return
  throw badConsentToken(`is of a ${isForThis ? 'sign-in' : 'session'} that is over`)
}

async function approve(
  tx: Transaction,
  { keyPrefix, baseUrls }: GraphContext,
  caller: AccountCaller,
  approved: ApprovedRequest,
) {
  const { client, request, scopes } = approved
  const code = newOAuthSecret(keyPrefix, 'oac')
  const isNews = await storeApproval(tx, caller, approved, sha256(code))
  const { clientId, clientName } = client
  const granted = { client_id: clientId, client_name: clientName, scope: scopes.join(' ') }
  if (isNews) await announce(tx, [newEvent(caller, 'consent.granted', granted)])
  const issuer = issuerOf(baseUrls[caller.environment])
  return {
    status: 'approved',
    redirectTo: redirectTo(request, issuer, { code }),
    code,
    state: request.state,
    iss: issuer,
    expiresIn: codeSeconds,
    grantedScope: scopes.join(' '),
  }
}

function deny({ baseUrls, caller }: GraphContext, { request }: JudgedRequest) {
  const issuer = issuerOf(baseUrls[caller.environment])
  return {
    status: 'denied',
    redirectTo: redirectTo(request, issuer, { error: 'access_denied' }),
    state: request.state,
    iss: issuer,
  }
}
