import type { Statement, Transaction } from '../../shared/database/database.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import { refundSpending } from '../budgets/budget.service.ts'
import { type Posted, postOnce } from './ledger-entry.service.ts'
import { LedgerEntryKind } from './ledger-entry.type.ts'

interface Refund {
  readonly accountId: string
  readonly requestId: string
  readonly reason: string
  readonly idempotencyKey: string
}

const readCharge: Statement = {
  name: 'charge-of-request',
  text: `SELECT credits FROM account.ledger_entry
    WHERE account_id = $1 AND environment = 'live' AND kind = 'charge' AND ref = $2`,
}

/**
 * Refunds a live charge into the lots that paid for it. The request is the reference, so a refund happens
 * once, with any key.
 */
export async function refundCharge(
  tx: Transaction,
  { accountId, requestId, reason, idempotencyKey }: Refund,
): Promise<Posted> {
  const [charge] = await tx.query<{ credits: number }>(readCharge, [accountId, requestId])
  if (!charge) throw new DomainError('NOT_FOUND', 'No charge has this request id.')
  const posted = await postOnce(tx, idempotencyKey, {
    accountId,
    environment: 'live',
    kind: LedgerEntryKind.refund,
    credits: -charge.credits,
    description: reason,
    ref: requestId,
    expiresAt: null,
  })
  const owner = { accountId, environment: 'live' } as const
  if (posted.isNew) await refundSpending(tx, owner, requestId, -charge.credits)
  return posted
}
