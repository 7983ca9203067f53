import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Transaction } from '../../shared/database/database.ts'
import { enqueueJob } from '../../shared/jobs/jobs.ts'
import type { OAuthContext } from '../settings/oauth-settings.ts'
import { receiversFor } from './person.store.ts'

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
