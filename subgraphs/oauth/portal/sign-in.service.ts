import type { Environment } from '../../../schema/credentials/caller.ts'
import { invitationOfToken } from '../../../schema/credentials/invitation-token.ts'
import { recordChange } from '../../shared/changes/change.ts'
import { announce } from '../../shared/changes/events.ts'
import type { Database, Transaction } from '../../shared/database/database.ts'
import { allTenants } from '../../shared/database/tenant.ts'
import { EnvironmentValue } from '../../shared/graph/environment.type.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { acceptInvitation, findInvitation } from '../people/accept-invitation.service.ts'
import { newKnownBrowser } from '../people/known-browser.ts'
import { memberEvent } from '../people/member-events.ts'
import { callerOfSession, noteSession } from '../sessions/note-session.ts'
import { type OpenedSession, openSession, type Proof } from '../sessions/open-session.service.ts'
import { findSession } from '../sessions/session.service.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { findHandover, type Handover, useHandover } from './handover.service.ts'
import { findPortalLink, usePortalLink } from './portal-link.service.ts'
import type { SignInPreview, SignInProof } from './sign-in.type.ts'

/** The key or person that a link or code signs in. */
interface SignIn extends Omit<Handover, 'sessionId' | 'parentId'> {
  readonly proof: Proof
  /** The id of the link; null for a handover. */
  readonly linkId: string | null
  /** The live session that the browser must have when it returns from the sandbox; else null. */
  readonly backTo: string | null
  /** Who invited the person; null without an invitation. */
  readonly invitedBy: string | null
  /** Whether a mail has brought an invitation to the person. */
  readonly isMailed: boolean
}

interface Access {
  readonly link: typeof findPortalLink
  readonly code: typeof findHandover
  readonly invitation: typeof findInvitation
}

const looking: Access = {
  ...{ link: findPortalLink, code: findHandover, invitation: findInvitation },
}
const using: Access = {
  ...{ link: usePortalLink, code: useHandover, invitation: acceptInvitation },
}

/**
 * Null for a link or code that was never issued. With `using`, also null for one that is not
 * usable.
 */
async function signInOf(
  view: Transaction | Database,
  { gatewaySecret }: Pick<OAuthContext, 'gatewaySecret'>,
  { portalTokenHash, handoverCodeHash, invitationToken }: SignInProof,
  environment: Environment,
  access: Access,
): Promise<SignIn | null> {
  const noMember = { memberId: null, invitedBy: null, isMailed: false }
  if (invitationToken) {
    const invitationId = invitationOfToken(gatewaySecret, invitationToken)
    const invited = invitationId && (await access.invitation(view, invitationId, environment))
    if (!invited) return null
    const { memberId, role, actor } = invited
    const proof = { kind: 'member', memberId, role, actor } as const
    return { ...invited, keyId: null, returnUrl: null, proof, linkId: null, backTo: null }
  }
  if (portalTokenHash) {
    const link = await access.link(view, portalTokenHash, environment)
    if (!link) return null
    const { id, role, actor, returnUrl } = link
    const proof = { kind: 'portal', role, actor, returnUrl } as const
    return { ...link, ...noMember, keyId: null, proof, linkId: id, backTo: null }
  }
  const code = handoverCodeHash ? await access.code(view, handoverCodeHash, environment) : null
  if (!code) return null
  const proof = { kind: 'handover', parentId: code.sessionId } as const
  const backTo = environment === 'live' ? code.parentId : null
  return { ...code, invitedBy: null, isMailed: false, proof, linkId: null, backTo }
}

/**
 * The key or person that would be signed in; null as above. The caller checks whether a key is
 * still accepted. Throws NOT_FOUND for an invitation that was accepted, ended or replaced by a later one, and for an
 * account that is gone: nobody has guessed the link.
 */
export async function previewSignIn(
  context: OAuthContext,
  proof: SignInProof,
): Promise<SignInPreview | null> {
  const { database, findAccount, caller, gatewaySecret } = context
  const { environment } = caller
  const found = await signInOf(database, context, proof, environment, looking)
  if (!found) {
    // Its row names the newest invitation alone, but the signature tells that there was this one.
    if (invitationOfToken(gatewaySecret, proof.invitationToken ?? '') !== null) throw notFound()
    return null
  }
  const account = await findAccount?.(found.accountId)
  if (!account) throw notFound()
  const { accountId, keyId, role, actor, returnUrl, expiresAt, invitedBy } = found
  const here = proof.cookieHash ? await findSession(database, proof.cookieHash, environment) : null
  const isLost = found.backTo !== null && here?.id !== found.backTo
  const isInvitation = found.proof.kind === 'member'
  const isAnother = here !== null && (isInvitation || here.account.id !== accountId)
  return {
    isUsable: found.isUsable && account.isActive && !isLost,
    ...{ accountId, accountName: account.name, environment: EnvironmentValue[environment] },
    ...{ role, actor, invitedBy, returnUrl, expiresAt, keyId },
    key: keyId === null ? null : { id: keyId },
    signedInAs: isAnother ? here.account : null,
  }
}

/**
 * Uses the link or code and opens its session. If the browser already has a session of the same
 * person, it proves that session anew. Throws the same NOT_FOUND for every link or code that does
 * not sign in. A refusal leaves no line in the audit trail, so that guesses cannot fill it. `knownBrowser` is the cookie
 * of a browser in which an invitation has proven the mailbox.
 */
export async function signIn(
  context: OAuthContext,
  proof: SignInProof,
): Promise<OpenedSession & { readonly knownBrowser: string | null }> {
  const { caller, findAccount } = context
  const { environment, address = null } = caller
  // The browser may have a session of another account.
  const database = context.database.as(allTenants)
  const found = await signInOf(database, context, proof, environment, looking)
  const account = found && (await findAccount?.(found.accountId))
  if (!found?.isUsable || !account?.isActive) throw notFound()
  const isElses = found.isMailed && (await isOfSomebodyElse(context, proof, found))
  return database.transaction(async (tx) => {
    const used = await signInOf(tx, context, proof, environment, using)
    if (!used) throw notFound()
    const { accountId } = used
    const opened = await openSession(tx, context, {
      ...{ accountId, environment, proof: used.proof, address },
      previousHash: proof.cookieHash ?? null,
    })
    await noteSignIn(tx, context, used, opened)
    const isProven = used.isMailed && !isElses && used.actor !== null
    return { ...opened, knownBrowser: isProven ? newKnownBrowser(context, used.actor) : null }
  })
}

/** Whether the browser has a session of anybody but the member with this address. */
async function isOfSomebodyElse(
  { caller: { environment }, database }: OAuthContext,
  { cookieHash }: SignInProof,
  { actor }: SignIn,
): Promise<boolean> {
  const here = cookieHash ? await findSession(database, cookieHash, environment) : null
  // The backend of a provider may name the person of a portal link like a member.
  return here !== null && (here.memberId === null || here.actor !== actor)
}

function notFound(): DomainError {
  return new DomainError(
    'NOT_FOUND',
    'This link is invalid or no longer works. Ask for another one.',
  )
}

async function noteSignIn(
  tx: Transaction,
  context: OAuthContext,
  found: SignIn,
  opened: OpenedSession,
): Promise<void> {
  const { linkId, role, proof } = found
  const owner = callerOfSession(context, found, opened.id)
  const by = { caller: owner }
  if (linkId !== null) {
    const change = { owner, action: 'portal_link.use', resourceId: linkId }
    await recordChange(tx, by, change, { details: { session_id: opened.id, role } })
  }
  if (proof.kind === 'member') {
    const change = { owner, action: 'member.join', resourceId: proof.memberId }
    await recordChange(tx, by, change, { details: { session_id: opened.id, role } })
    const { accountId } = owner
    const { memberId, actor: email } = proof
    const joined = { id: memberId, accountId, email, role: proof.role }
    await announce(tx, [memberEvent('member.joined', joined)])
  }
  const details = proof.kind === 'handover' ? { parent_id: proof.parentId } : {}
  await noteSession(tx, owner, opened, details)
}
