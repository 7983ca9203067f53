import type { Environment } from '../../../../schema/credentials/caller.ts'
import { type DomainError, invalidRequest } from '../../../shared/graph/errors.ts'

/** What a provider is asked to collect. Asking again for the same payment never collects twice. */
export interface PaymentRequest {
  /** `pay_…`: what the payment is called in everything that is sent to the provider. */
  readonly paymentId: string
  readonly accountId: string
  readonly environment: Environment
  readonly totalCents: number
  /** ISO 4217. */
  readonly currency: string
  /** What `isMethod` accepts. */
  readonly paymentMethod: string
  /** Whether nobody is there who could confirm the payment: a recharge. */
  readonly isOffSession: boolean
  /** What the provider calls the account; null for one that has no name for it. */
  readonly customer: string | null
  /** What the provider calls the payment, once it has said so. */
  readonly reference: string | null
  /** When the payment was first asked for. */
  readonly createdAt: Date
}

type Decision =
  | { readonly status: 'succeeded' }
  /** The provider has not decided: it is asked again, or tells us. */
  | { readonly status: 'pending' }
  /** Final: nothing will be collected. The reason is for the account's people. */
  | { readonly status: 'failed'; readonly reason: string }

export type PaymentOutcome = Decision & {
  /** What the provider calls the payment, where it has a name for it. */
  readonly reference?: string
}

/** What a provider tells on its own account. It may come late, again, or never. */
export interface PaymentNotification {
  readonly paymentId: string
  readonly outcome: PaymentOutcome
}

export interface PaymentProvider {
  /** In the path of its notifications, and in the header that signs them: `<name>-Signature`. */
  readonly name: 'simulated' | 'stripe'
  /** For whoever names no payment method and has none saved; null: one must be named. */
  readonly defaultMethod: string | null
  /** Completes "payment_method …" for what `isMethod` refuses. */
  readonly methodRule: string
  /** Whether the text can be a payment method; whether it is one shows when it is used. */
  isMethod(text: string): boolean
  /** Makes an account known, and returns what the provider calls it; absent where it has no need to. */
  createCustomer?(accountId: string): Promise<string>
  /** Throws when nothing is known: the provider is away, or its answer was lost. */
  collect(request: PaymentRequest): Promise<PaymentOutcome>
  /**
   * What a notification tells, or null when it is none of our business. Throws INVALID_REQUEST unless the
   * provider has signed these very bytes within the last 300 seconds.
   */
  readNotification(body: string, signature: string): PaymentNotification | null
}

/** How old a signature may be. */
export const signatureMaxAgeSeconds = 300

/** Nobody learns which of the reasons it was. */
export function badSignature(header: string): DomainError {
  const message = `does not sign this body, or is older than ${signatureMaxAgeSeconds} s`
  return invalidRequest([{ field: header, in: 'header', message }])
}
