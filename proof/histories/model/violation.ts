/** A kind of fact that the model can't explain. */
export type ViolationKind =
  | 'lost charge'
  | 'doubled charge'
  | 'wrong amount'
  | 'charge for a failed call'
  | 'charge without a call'
  | 'charge while suspended'
  | 'answer to an ended credential'
  | 'over budget'
  | 'refused within budget'
  | 'refund without a reason'
  | 'wrong answer'
  | 'replay differs'
  | 'doubled effect'
  | 'wrong refusal'
  | 'refused with enough credits'
  | 'stale read'
  | 'order of entries'
  | 'lost posting'
  | 'doubled posting'
  | 'wrong expiry'
  | 'lost purchase'
  | 'credits without a payment'
  | 'wrong clawback'
  | 'log missing'
  | 'log differs'
  | 'books differ'
  | 'hold left'

export interface Violation {
  readonly kind: ViolationKind
  /** When it could be seen first. */
  readonly atMs: number
  readonly accountId: string
  /** The event: a call, a read, an entry. */
  readonly what: string
  /** The facts that the model expected instead. */
  readonly expected: string
}
