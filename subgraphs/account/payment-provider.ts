/** What a provider is asked to collect. Asking again for the same payment never collects twice. */
export interface PaymentRequest {
  readonly paymentId: string
  readonly totalCents: number
  readonly currency: string
  /** As the provider knows it. */
  readonly paymentMethod: string
  /** When the payment was first asked for. */
  readonly createdAt: Date
}

export type PaymentOutcome =
  | { readonly status: 'succeeded' }
  /** The provider has not decided: it is asked again, or tells us. */
  | { readonly status: 'pending' }
  | { readonly status: 'failed'; readonly reason: string }

export interface PaymentProvider {
  /** Throws when the provider cannot be reached: then nothing is known. */
  collect(request: PaymentRequest): Promise<PaymentOutcome>
}

const slowMs = 2000

/**
 * Collects nothing. The payment method says how it goes: `simulated` succeeds at once,
 * `simulated_slow` after two seconds, `simulated_declined` never.
 */
export const simulatedProvider: PaymentProvider = {
  async collect({ paymentMethod, createdAt }) {
    switch (paymentMethod) {
      case 'simulated':
        return { status: 'succeeded' }
      case 'simulated_slow':
        return { status: Date.now() - createdAt.getTime() < slowMs ? 'pending' : 'succeeded' }
      case 'simulated_declined':
        return { status: 'failed', reason: 'The card was declined.' }
      default:
        return { status: 'failed', reason: 'The payment method is not known.' }
    }
  },
}

export const simulatedMethods = ['simulated', 'simulated_slow', 'simulated_declined'] as const
