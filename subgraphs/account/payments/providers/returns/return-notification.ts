/** The payment of a notification, and the provider's facts about it for comparison. */
export interface ReturnedPayment {
  /** `pay_…`; null if the object of the provider does not name it. */
  readonly paymentId: string | null
  /** The provider's id of the payment, by which it is found if it is not named. */
  readonly paymentReference: string | null
  /** `acct_…`, as the provider has stored it. */
  readonly accountId?: string
  /** The provider's id of the account. */
  readonly customer?: string
  /** ISO 4217. */
  readonly currency?: string
}

export type RefundStatus = 'pending' | 'succeeded' | 'failed'

/** A refund as the provider describes it. */
export interface ReportedRefund {
  /** The provider's id of the refund. */
  readonly reference: string
  readonly amountCents: number
  readonly status: RefundStatus
  /** `rfd_…`: the refund that an operator asked for. */
  readonly refundId?: string
  /** The reason of a failed refund, for operators. */
  readonly failureReason?: string
}

/** A refund, or how much of a payment was refunded in all. */
export interface RefundNotification extends ReturnedPayment {
  readonly kind: 'refund'
  /** The refund that the notification names; null if the notification has the sum only. */
  readonly refund: ReportedRefund | null
  /** The sum of all refunds that were started so far, in cents. */
  readonly returnedCents?: number
}

/**
 * The state of a dispute. `inquiry`: the bank asks, and no money moves. `lost`: the money is gone,
 * also if `funds_withdrawn` did not arrive. `won`: the money is back.
 */
export type ReportedDisputeStatus =
  | 'inquiry'
  | 'open'
  | 'funds_withdrawn'
  | 'funds_reinstated'
  | 'won'
  | 'lost'

export interface ReportedDispute {
  /** The provider's id of the dispute. */
  readonly reference: string
  readonly amountCents: number
  readonly status: ReportedDisputeStatus
}

/** The bank of the buyer asks for the money of a payment. */
export interface DisputeNotification extends ReturnedPayment {
  readonly kind: 'dispute'
  readonly dispute: ReportedDispute
}

export type ReturnNotification = RefundNotification | DisputeNotification

/** The outcome of a notification, for the metrics. */
export type NotificationOutcome =
  /** The notification is about a payment of this gateway. It may be a repetition. */
  | 'taken'
  /** The notification is about a payment of another system, or of a type that the gateway does not use. */
  | 'other_type'
  /** The notification contradicts a payment of this gateway: an operator must look at it. */
  | 'unmatched'

/** A refund that a provider has to make. A repeated request never refunds twice. */
export interface RefundRequest {
  /** `rfd_…`: the name of the refund in every request to the provider. */
  readonly refundId: string
  readonly paymentId: string
  /** The provider's id of the payment; null if it has none. */
  readonly paymentReference: string | null
  readonly environment: 'live' | 'sandbox'
  readonly amountCents: number
  /** The provider's id of the refund, once it is known. */
  readonly reference: string | null
  /** When the refund was first asked for. */
  readonly createdAt: Date
}

/** The provider's answer about a refund that it was asked for. */
export interface RefundAnswer {
  /** The provider's id of the refund; null if the provider refused to begin one. */
  readonly reference: string | null
  readonly status: RefundStatus
  readonly failureReason?: string
}

/** The functions of a provider for returned money. */
export interface RefundingProvider {
  /**
   * Returns money, or asks for the state of a refund that was begun. Throws if that is unknown: the
   * provider is unavailable, or its answer was lost.
   */
  refund(request: RefundRequest): Promise<RefundAnswer>
  /**
   * The id that the provider has stored for one of its payments, `pay_…`; null for a payment of
   * another system. Absent if every notification names the payment.
   */
  paymentIdOf(reference: string): Promise<string | null>
}
