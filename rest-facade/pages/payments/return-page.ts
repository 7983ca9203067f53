import type { BodyOf, CheckoutStatus } from '../../../schema/generated/operations.ts'
import { html } from '../html/html.ts'
import { type Page, page } from '../sign-in/consent-pages/page.ts'

const words: Readonly<Record<CheckoutStatus, readonly [title: string, text: string]>> = {
  requires_action: [
    'The payment is not complete',
    'Nothing was paid yet. You can go back to the page of the payment and try again.',
  ],
  pending: [
    'The payment is being checked',
    'The bank has not decided yet. This page tells you when it has; you can also close it.',
  ],
  paid: ['Thank you', 'The payment has arrived. You can close this page.'],
  failed: ['The payment failed', 'Nothing was paid. You can close this page and begin again.'],
  expired: [
    'The payment has expired',
    'The page was closed before anything was paid. You can begin again.',
  ],
}

/**
 * Asks for the state every two seconds for five minutes, and loads the page again once the state
 * has changed.
 */
const script = `const shown = document.querySelector('main').dataset.status
let asked = 0
const timer = setInterval(async () => {
  asked += 1
  if (asked >= 150) clearInterval(timer)
  try {
    const answer = await fetch('/billing/return/status' + location.search)
    const { status = shown } = answer.ok ? await answer.json() : {}
    if (status !== shown) location.reload()
  } catch {}
}, 2000)`

/** The page to which a payer comes back. It shows the state of the payment, and nothing else of it. */
export function returnPage({ status: now }: BodyOf<'FollowReturnLink'>): Page {
  const [title, text] = words[now]
  const isOpen = now === 'pending' || now === 'requires_action'
  const main = html`<h1>${title}</h1>
<p role="status">${text}</p>
${isOpen ? html`<p class="quiet"><a href="">Look again</a></p>` : null}`
  return page({ status: 200, title, main, mainStatus: now, script: isOpen ? script : undefined })
}
