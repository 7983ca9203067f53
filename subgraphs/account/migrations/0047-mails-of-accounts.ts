import { ConcurrentIndex } from '../../shared/migrating/concurrent-index.ts'

/** Leads from account to account, past the many mails of one. */
export class MailsOfAccounts0047 extends ConcurrentIndex {
  protected readonly table = 'account.mail'
  protected readonly index = 'mail_due_of_account'
  protected readonly definition = '(account_id, due_at) WHERE due_at IS NOT NULL'
}
