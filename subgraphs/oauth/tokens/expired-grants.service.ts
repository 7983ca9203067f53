import { refreshTokenSeconds } from '../../../schema/vocabulary/oauth-lifetimes.ts'
import { forgetDoneChanges } from '../../shared/changes/change.ts'
import type { Statement } from '../../shared/database/database.ts'
import { forgetEach, forgetRows } from '../../shared/database/forget.ts'
import type { GraphContext } from '../../shared/graph/context.ts'

/**
 * A used refresh token is kept for one more lifetime after its expiry: until then a replay is
 * recognised (docs/oauth-rules.md 64).
 */
const isNoReplay = `expires_at <= now() - make_interval(secs => ${refreshTokenSeconds})`

/** An app that registered itself, and that nobody has approved, is deleted after this time. */
const unapprovedDays = 30

/**
 * Deletes rows that are not usable any more, and not needed to recognise a replay. With a grant,
 * all that was issued for it is deleted.
 */
const forgetExpired: readonly Statement[] = [
  { name: 'forget-grants', text: forgetRows('oauth.authorization_grant') },
  { name: 'forget-access-tokens', text: forgetRows('oauth.access_token') },
  {
    name: 'forget-refresh-tokens',
    text: forgetRows('oauth.refresh_token', isNoReplay),
  },
  { name: 'forget-portal-links', text: forgetRows('oauth.portal_link') },
  { name: 'forget-handovers', text: forgetRows('oauth.session_handover') },
  {
    name: 'forget-mail-sign-ins',
    // Until then its wrong codes count.
    text: forgetRows('oauth.mail_sign_in', "expires_at <= now() - interval '1 d'"),
  },
  { name: 'forget-address-changes', text: forgetRows('oauth.address_change') },
  { name: 'forget-sessions', text: forgetRows('oauth.session') },
  { name: 'forget-passkey-challenges', text: forgetRows('oauth.passkey_challenge') },
  { name: 'forget-consent-tokens', text: forgetRows('oauth.used_consent_token') },
  {
    name: 'forget-unapproved-apps',
    text: `
      DELETE FROM oauth.app WHERE approved_at IS NULL AND client_id = ANY (ARRAY(
        SELECT client_id FROM oauth.app
        WHERE environment = ANY ('{live,sandbox}') AND origin = 'registration' AND approved_at IS NULL
          AND created_at <= now() - interval '${unapprovedDays} days'
        LIMIT $1)) RETURNING 1`,
  },
  { name: 'forget-done-changes-of-oauth', text: forgetDoneChanges('oauth') },
]

/** Deletes up to `limit` rows of each kind; returns the largest number of one kind. */
export function forgetExpiredGrants({ database }: GraphContext, limit: number): Promise<number> {
  return forgetEach(database, forgetExpired, limit)
}
