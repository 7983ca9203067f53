import type { Environment } from '../../../../schema/credentials/caller.ts'
import { type DomainError, invalidRequest } from '../../../shared/graph/errors.ts'
import type { RefundingProvider, ReturnNotification } from './returns/return-notification.ts'

/** A payment that a provider has to collect. A repeated request never collects twice. */
export interface PaymentRequest {
  /** `pay_…`: the name of the payment in every request to the provider. */
  readonly paymentId: string
  readonly accountId: string
  readonly environment: Environment
  readonly totalCents: number
  /** ISO 4217. */
  readonly currency: string
  /** A text that `isMethod` accepts. */
  readonly paymentMethod: string
  /** Whether the holder is absent and cannot confirm the payment, as in a recharge. */
  readonly isOffSession: boolean
  /** The provider's id of the account; null if the provider has none. */
  readonly customer: string | null
  /** The provider's id of the payment, once it is known. */
  readonly reference: string | null
  /** When the payment was first asked for. */
  readonly createdAt: Date
}

type Decision =
  | { readonly status: 'succeeded' }
  /** The provider has not decided. It is asked again, or it sends a notification. */
  | { readonly status: 'pending' }
  /** Final: nothing will be collected. The reason is shown to the account holder. */
  | { readonly status: 'failed'; readonly reason: string }

export type PaymentOutcome = Decision & {
  /** The provider's id of the payment, if it has one. */
  readonly reference?: string
}

/** The news of a payment. */
export interface OutcomeNotification {
  readonly kind: 'outcome'
  readonly paymentId: string
  readonly outcome: PaymentOutcome
}

/** A message that a provider sends without a request. It may come late, repeatedly, or never. */
export type PaymentNotification = OutcomeNotification | ReturnNotification

export interface PaymentProvider extends Partial<RefundingProvider> {
  /**
   * Part of the path of its notifications and of the header that signs them: `<name>-Signature`.
   */
  readonly name: 'simulated' | 'stripe'
  /** Used if no payment method is named or saved; null if a method must be named. */
  readonly defaultMethod: string | null
  /** Completes the message "payment_method …" if `isMethod` refuses a text. */
  readonly methodRule: string
  /** Whether the text has the form of a payment method. Only its use shows whether it is one. */
  isMethod(text: string): boolean
  /** Creates a customer for an account and returns its id. Absent if the provider needs none. */
  createCustomer?(accountId: string): Promise<string>
  /** Throws if the outcome is unknown: the provider is unavailable, or its answer was lost. */
  collect(request: PaymentRequest): Promise<PaymentOutcome>
  /**
   * Reads a notification; null if it is not about a payment of this gateway. Throws INVALID_REQUEST
   * unless the provider has signed exactly these bytes within the last 300 seconds.
   */
  readNotification(body: string, signature: string): PaymentNotification | null
}

/** The greatest age of a signature. */
export const signatureMaxAgeSeconds = 300

/** The message does not tell which check failed, so that a forger learns nothing. */
export function badSignature(header: string): DomainError {
  const message = `does not sign this body, or is older than ${signatureMaxAgeSeconds} s`
  return invalidRequest([{ field: header, in: 'header', message }])
}
