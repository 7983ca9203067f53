import type { BodyOf } from '../../../schema/generated/operations.ts'
import { foreign, html, type Markup } from '../html/html.ts'
import { type Page, page } from '../sign-in/consent-pages/page.ts'
import { returnsSection } from './simulated-returns.ts'

/** The facts of a payment that the page shows. */
export type SimulatedPayment = BodyOf<'ShowSimulatedPayment'>

/** The page on which a payer pays, declines or confirms at the simulated provider. */
export function simulatedPage(shown: SimulatedPayment): Page {
  const { return_url: returnUrl } = shown
  const title = 'Simulated payment'
  const main = html`<h1>${title}</h1>
<p class="quiet">Nobody pays anything here: this page stands in for a payment provider.</p>
<dl>
<dt>What is bought</dt><dd>${foreign(shown.description)}</dd>
<dt>Amount</dt><dd>${amountOf(shown)}</dd>
<dt>Payment</dt><dd>${shown.id}</dd>
</dl>
${shown.notice ? html`<p class="alert" role="alert">${shown.notice}</p>` : null}
${choicesOf(shown)}
<p class="links quiet"><a href="${returnUrl}">Go back</a></p>`
  // Chromium checks the redirect after a form against this list.
  const formAction = `'self' ${new URL(returnUrl).origin}`
  return page({ status: 200, title, main, formAction })
}

/** The answer to a choice: it leads back to where the payer came from, unless the page has more to say. */
export function simulatedDecision(shown: SimulatedPayment): Page {
  const isOpen = shown.state === 'open' || shown.state === 'confirming'
  if (isOpen && shown.status === 'requires_action') return simulatedPage(shown)
  // An action on returned money does not send the browser back to the buyer's page.
  if (shown.state === 'paid' && shown.notice !== null) return simulatedPage(shown)
  const headers = { Location: shown.return_url, 'Cache-Control': 'no-store' }
  return { status: 303, html: '', headers }
}

function amountOf({ total_cents: cents, currency }: SimulatedPayment): string {
  const amount = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 }).format(cents / 100)
  return `${amount} ${currency}`
}

function choicesOf({ state, cards, returns }: SimulatedPayment): Markup {
  switch (state) {
    case 'open':
      return form(html`<label for="card">Card</label>
<select id="card" name="card">${cards.map(
        ({ name, description }) => html`<option value="${name}">${name}: ${description}</option>`,
      )}</select>
<div class="buttons">
<button class="second" name="choice" value="decline">Decline</button>
<button name="choice" value="pay">Pay</button>
</div>
<div class="buttons"><button class="second" name="choice" value="close">Let the page expire</button></div>`)
    case 'confirming':
      return form(html`<p>The bank wants the holder of the card to confirm this payment.</p>
<div class="buttons">
<button class="second" name="choice" value="decline">Decline</button>
<button name="choice" value="confirm">Confirm</button>
</div>`)
    case 'paid':
      return html`<p>This payment was made.</p>
${returnsSection(returns)}`
    case 'declined':
      return html`<p>This payment was not confirmed.</p>`
    // It is closed.
    default:
      return html`<p>This page is closed: nothing was paid.</p>`
  }
}

// Without an action the form goes to the address of the page, with its signature.
function form(fields: Markup): Markup {
  return html`<form method="post">${fields}</form>`
}
