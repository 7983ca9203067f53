import { html, type Markup } from '../html/html.ts'

/** What can come back of a payment that was made at the simulated provider. */
export interface Returnable {
  /** What refunds have not returned yet, in cents. */
  readonly leftCents: number
  /** `none`: the payment has no dispute. */
  readonly dispute: 'none' | 'open' | 'closed'
}

/**
 * The part of a paid payment's page where its money can be made to come back. Its buttons send
 * `choice`: `refund`, `refund_part`, `dispute`, `win` or `lose`. Null if nothing can be done.
 */
export function returnsSection({ leftCents, dispute }: Returnable): Markup | null {
  // A real provider refunds no payment that is disputed.
  const canRefund = leftCents > 0 && dispute === 'none'
  const buttons = [
    canRefund ? button('refund', 'Refund') : null,
    canRefund ? button('refund_part', 'Refund a part') : null,
    dispute === 'none' ? button('dispute', 'Dispute') : null,
    dispute === 'open' ? button('win', 'Win the dispute') : null,
    dispute === 'open' ? button('lose', 'Lose the dispute') : null,
  ].filter((shown) => shown !== null)
  if (buttons.length === 0) return null
  return html`<form method="post">
<p>The provider can return the money, and the bank of the buyer can ask for it.</p>
<div class="buttons">${buttons}</div>
</form>`
}

function button(choice: string, words: string): Markup {
  return html`<button class="second" name="choice" value="${choice}">${words}</button>`
}
