import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { receiversFor } from './person.store.ts'

/** How often a person adds a passkey, or begins a wait, within a day: each is told to all OWNERs. */
const maxToldADay = 20

const countMail: Statement = {
  name: 'count-passkey-mail',
  text: `SELECT oauth.count_passkey_mail($1, ${maxToldADay}) AS "waitSeconds"`,
}

/**
 * Counts a change of passkeys that a person can repeat at will, and of which others are told. The caller holds the lock
 * of the person. Throws RATE_LIMIT_EXCEEDED beyond 20 a day.
 */
export async function countNews(tx: Transaction, personId: string): Promise<void> {
  const [counted] = await tx.query<{ waitSeconds: number | null }>(countMail, [personId])
  const retryAfterSeconds = counted?.waitSeconds ?? null
  if (retryAfterSeconds === null) return
  const message = `The limit of ${maxToldADay} changes of passkeys a day is reached.`
  throw new DomainError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds })
}

/** What a person and the OWNERs are told of, by the name of its mail. */
type PasskeyNews =
  | 'passkey_added'
  | 'passkey_disabled'
  | 'passkey_removal'
  | 'passkey_removed'
  | 'passkey_reset'
  | 'passkeys_reset'

/**
 * Mails the person and the OWNERs of the person's accounts, by the account subgraph. `data` are the values of the text.
 * The transaction sees all accounts.
 */
export async function tellOfPasskeys(
  tx: Transaction,
  { oauth }: Pick<OAuthContext, 'oauth'>,
  personId: string,
  template: PasskeyNews,
  data: { readonly person: string } & Readonly<Record<string, string>>,
): Promise<void> {
  if (!oauth.sendsMails) return
  const receivers = await receiversFor(tx, personId)
  for (const [accountId, ofAccount] of Map.groupBy(receivers, (one) => one.accountId)) {
    const to = ofAccount.map(({ memberId, email }) => ({ memberId, email }))
    const input = { accountId, messageId: newId('mail'), template, data, receivers: to }
    await enqueueJob(tx, 'MailPeople', { input })
  }
}
