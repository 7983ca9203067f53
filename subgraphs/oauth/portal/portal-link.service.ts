import type { Environment } from '../../../schema/credentials/caller.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { portalLinkSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { isPersonRole, type PersonRole } from '../../../schema/vocabulary/roles.ts'
import { actOf } from '../../shared/changes/act.ts'
import { makeChange, recordRefusal } from '../../shared/changes/change.ts'
import type { Queryable, Statement } from '../../shared/database/statement.ts'
import { requireAll } from '../../shared/graph/checks.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { returnUrlProblem } from '../../shared/links/return-url.ts'
import { PortalRole } from '../people/portal-role.type.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import type { CreatePortalLinkInput, CreatePortalLinkPayload } from './portal-link.type.ts'

/**
 * A link that signs a person in, once. Throws NOT_FOUND for an unknown account, and FORBIDDEN when support
 * asks for more than a viewer.
 */
export async function createPortalLink(
  context: OAuthContext,
  input: CreatePortalLinkInput,
): Promise<CreatePortalLinkPayload> {
  const { accountId, environment, role, actor, returnUrl = null, reason, idempotencyKey } = input
  const id = newId('plk')
  const token = newOAuthSecret(context.keyPrefix, 'opl')
  const owner = { accountId, environment }
  const details = { role, actor, ...(returnUrl === null ? {} : { return_url: returnUrl }) }
  const named = { owner, action: 'portal_link.create', request: { ...details, reason } }
  const { once, why } = await recordRefusal(context, named, async () => {
    requireAll([
      ['actor', isActor(actor), 'must have 1 to 200 visible characters'],
      ...problemOf(context, returnUrl),
    ])
    const isThere = await context.findAccount?.(accountId)
    if (!isThere) throw new DomainError('NOT_FOUND', 'No account has this id.')
    return actOf(context.caller, { reason, idempotencyKey })
  })
  const note = () => ({ details: { ...details, ...why } })
  const change = { ...named, once, isSecret: true, resourceId: id, note }
  return makeChange(context, change, async (tx) => {
    requirePermitted(context, role)
    const [stored] = await tx.query<{ expiresAt: Date }>(insertLink, [
      ...[id, sha256(token), accountId, environment],
      ...[role, actor, returnUrl, portalLinkSeconds],
    ])
    if (!stored) throw new Error('A portal link was not stored.')
    return { url: `${context.baseUrls[environment]}/console/portal#${token}`, ...stored }
  })
}

/**
 * Readers of the audit trail must see the name: it has no control characters, nothing invisible,
 * and no blank of Braille.
 */
function isActor(text: string): boolean {
  return (
    /^[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]{1,200}$/u.test(text) &&
    text.trim() !== ''
  )
}

function problemOf(
  { oauth, baseUrls }: OAuthContext,
  returnUrl: string | null,
): readonly [field: string, holds: false, message: string][] {
  const problem =
    returnUrl === null
      ? null
      : returnUrlProblem({ returnOrigins: oauth.returnOrigins ?? [], baseUrls }, returnUrl)
  return problem === null ? [] : [['returnUrl', false, problem]]
}

/** The role support may look at an account, but not act in its name. */
function requirePermitted({ caller }: OAuthContext, role: PortalRole): void {
  if (caller.kind === 'internal' && caller.role === 'admin') return
  if (role === PortalRole.VIEWER) return
  throw new DomainError('FORBIDDEN', 'Only the role admin may make links for more than a VIEWER.')
}

const insertLink: Statement = {
  name: 'insert-portal-link',
  text: `
    INSERT INTO oauth.portal_link (id, token_hash, account_id, environment, role, actor, return_url,
      expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8))
    RETURNING expires_at AS "expiresAt"`,
}

export interface PortalLink {
  readonly id: string
  readonly accountId: string
  readonly role: PersonRole
  readonly actor: string
  readonly returnUrl: string | null
  readonly expiresAt: Date
  /** Whether the link belongs to this environment and was neither used nor expired. */
  readonly isUsable: boolean
}

const columns = `id, account_id AS "accountId", role, actor, return_url AS "returnUrl",
  expires_at AS "expiresAt"`
const isUsable = 'environment = $2 AND used_at IS NULL AND expires_at > now()'

const linkOfToken: Statement = {
  name: 'portal-link',
  text: `SELECT ${columns}, ${isUsable} AS "isUsable" FROM oauth.portal_link WHERE token_hash = $1`,
}

/**
 * Uses the link: of several requests at the same time, one gets it. The others wait for its row and find it
 * used.
 */
const useUsableLink: Statement = {
  name: 'use-portal-link',
  text: `
    UPDATE oauth.portal_link SET used_at = now() WHERE token_hash = $1 AND ${isUsable}
    RETURNING ${columns}, true AS "isUsable"`,
}

/** Null for a token that belongs to no link. */
export function findPortalLink(
  view: Queryable,
  tokenHash: string,
  environment: Environment,
): Promise<PortalLink | null> {
  return linkBy(view, linkOfToken, [tokenHash, environment])
}

/** Returns the link if it is usable, and marks it as used. */
export function usePortalLink(
  tx: Queryable,
  tokenHash: string,
  environment: Environment,
): Promise<PortalLink | null> {
  return linkBy(tx, useUsableLink, [tokenHash, environment])
}

async function linkBy(
  view: Queryable,
  statement: Statement,
  values: readonly string[],
): Promise<PortalLink | null> {
  const [row] = await view.query<PortalLink>(statement, values)
  // A later build has added this role, and this build does not know its rights.
  return row && isPersonRole(row.role) ? row : null
}
