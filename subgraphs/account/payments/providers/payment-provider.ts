import type { Environment } from '../../../../schema/credentials/caller.ts'
import { type DomainError, invalidRequest } from '../../../shared/graph/errors.ts'
import type { RefundingProvider, ReturnNotification } from './returns/return-notification.ts'

/** A payment that a provider has to collect. A repeated request never collects twice. */
export interface PaymentRequest {
  /** `pay_…`: the name of the payment in every request to the provider. */
  readonly paymentId: string
  readonly accountId: string
  readonly environment: Environment
  /** Tax included. */
  readonly totalCents: number
  /** ISO 4217. */
  readonly currency: string
  /** The name of the package or plan on the payer's page. */
  readonly description: string
  /** A text that `isMethod` accepts; null: the payer chooses on a page of the provider. */
  readonly paymentMethod: string | null
  /** Whether the holder is absent and cannot confirm the payment at once, as in a recharge. */
  readonly isOffSession: boolean
  /** The provider's id of the account; null if the provider has none. */
  readonly customer: string | null
  /** The provider's id of the payment, once it is known. */
  readonly reference: string | null
  /** Where the provider sends the payer afterwards. */
  readonly returnUrl: string
  /** When the payment was first asked for. */
  readonly createdAt: Date
  /** The id of the quote by which the provider computed the tax; null if it did not. */
  readonly taxQuote: string | null
}

/** A sale whose tax a provider computes. */
export interface TaxedSale {
  /** The net price; at least 1. */
  readonly priceCents: number
  /** ISO 4217. */
  readonly currency: string
  readonly buyer: {
    /** ISO 3166 alpha-2. */
    readonly country: string
    readonly line1: string
    readonly line2: string | null
    readonly city: string
    readonly postalCode: string
    readonly state: string | null
    readonly taxId: string | null
  }
}

export interface TaxQuote {
  /** The provider's id of the quote. */
  readonly id: string
  readonly taxCents: number
  readonly ratePercent: number
  /** Whether the buyer owes the tax. */
  readonly isReverseCharge: boolean
}

/** A card that the provider keeps, as people know it. */
export interface Card {
  /** The provider's id of the card. */
  readonly reference: string
  /** The brand of the card, such as `visa`. */
  readonly brand: string
  readonly last4: string
  /** The month in which the card ends, 1 to 12. */
  readonly expMonth: number
  readonly expYear: number
  /** The provider's name of the number of the card: the same each time that the card is entered; null: unknown. */
  readonly fingerprint: string | null
}

interface Success {
  readonly status: 'succeeded'
  /** The card that was used, if the provider names it and keeps it. */
  readonly card?: Card
  /** The provider has not been asked for the card yet: a job asks for it later. */
  readonly isCardUnknown?: boolean
  /** The collected amount, if the provider states it: it must equal the requested amount. */
  readonly paid?: { readonly amountCents: number; readonly currency: string }
}

interface Failure {
  readonly status: 'failed'
  /** The reason that the account holder sees. */
  readonly reason: string
  /**
   * The provider's id of the attempt; null if it does not count as a declined card. It is present
   * if only one attempt failed: that ends a payment by a stored method, but on a page the payer may
   * try again.
   */
  readonly attempt?: string | null
}

type Decision =
  | Success
  /** The provider has not decided. It is asked again, or it sends a notification. */
  | {
      readonly status: 'pending'
      /** The payer has done all that the page asks for. */
      readonly isActed?: boolean
    }
  /** The payer has to go to a page: to pay there, or to confirm this one payment. */
  | {
      readonly status: 'requires_action'
      readonly action: 'page' | 'confirmation'
      readonly actionUrl: string
    }
  | Failure
  /** The page is closed: nothing can be paid any more. */
  | { readonly status: 'expired' }

export type PaymentOutcome = Decision & {
  /** The provider's id of the payment, if it has one. */
  readonly reference?: string
}

/** The outcome for one payment. */
export interface OutcomeNotification {
  readonly kind: 'outcome'
  readonly paymentId: string
  readonly outcome: PaymentOutcome
  /** The provider's id of the object that the notification shows: `cardOf` takes it. */
  readonly source?: string
}

/** A message of a type that the gateway does not know, or about something else. */
export interface OtherNotification {
  readonly kind: 'other'
}

/** A message that a provider sends without a request. It may come late, repeatedly, or never. */
export type PaymentNotification = OutcomeNotification | ReturnNotification | OtherNotification

export interface PaymentProvider extends Partial<RefundingProvider> {
  /**
   * Part of the path of its notifications and of the header that signs them: `<name>-Signature`.
   */
  readonly name: 'simulated' | 'stripe'
  /** Methods that need not be stored before they are used. */
  readonly freeMethods: readonly string[]
  /** The least that it collects, in cents, tax included. */
  readonly minimumCents: number
  /** Whether the text has the form of a payment method. Only its use shows whether it is one. */
  isMethod(text: string): boolean
  /** Creates a customer for an account and returns its id. Absent if the provider needs none. */
  createCustomer?(accountId: string): Promise<string>
  /**
   * Collects a payment. Throws if the outcome is unknown: the provider is unavailable, or its
   * answer was lost.
   */
  collect(request: PaymentRequest): Promise<PaymentOutcome>
  /**
   * Asks the provider to close the page of a payment. Returns the outcome of the payment, which may
   * have been paid meanwhile. Throws as `collect` does.
   */
  close(request: PaymentRequest): Promise<PaymentOutcome>
  /**
   * Computes the tax of a sale; null for an address that the provider cannot place. Absent if the
   * rates of the price list count. Throws if the provider is unavailable.
   */
  quoteTax?(sale: TaxedSale): Promise<TaxQuote | null>
  /**
   * The card of a collected payment, by the provider's id of the payment or of its page; null if the
   * provider keeps none. Throws if that is unknown. Absent if a success always names its card.
   */
  cardOf?(reference: string): Promise<Card | null>
  /** Makes the provider forget a card. Absent if it keeps none. */
  forgetCard?(reference: string): Promise<void>
  /**
   * Reads a notification. Throws INVALID_REQUEST unless the provider has signed exactly these bytes
   * within the last 300 seconds, for this mode of the gateway.
   */
  readNotification(body: string, signature: string): Promise<PaymentNotification>
}

/** The greatest age of a signature. */
export const signatureMaxAgeSeconds = 300

/** The message does not tell which check failed, so that a forger learns nothing. */
/** `internal` says for the log what is wrong with it. */
export function badSignature(header: string, internal: string): DomainError {
  const message = `does not sign this body, or is older than ${signatureMaxAgeSeconds} s`
  return invalidRequest([{ field: header, in: 'header', message }], { internal })
}
