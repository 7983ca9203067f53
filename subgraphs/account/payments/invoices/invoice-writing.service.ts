import type { AccountScope } from '../../../shared/changes/change.ts'
import type { Transaction } from '../../../shared/database/database.ts'

/** A credit note about a refund. */
interface NewCreditNote {
  readonly paymentId: string
  /** `rfd_…` */
  readonly refundId: string
  readonly amountCents: number
  readonly description: string
}

/** Adds the credit note of a refund. Not written yet. */
export async function addCreditNote(
  _tx: Transaction,
  _owner: AccountScope,
  _note: NewCreditNote,
): Promise<void> {}
