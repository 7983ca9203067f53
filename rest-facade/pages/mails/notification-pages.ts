import type { BodyOf } from '../../../schema/generated/operations.ts'
import { foreign, html, type Markup } from '../html/html.ts'
import { type Page, page } from '../sign-in/consent-pages/page.ts'

/** Asks the holder of an address whether it may get notifications. */
export function confirmationPage(link: BodyOf<'FollowConfirmationLink'>): Page {
  const { address, is_confirmed: isConfirmed } = link
  if (isConfirmed) return confirmedPage(link)
  return question('Confirm this address', 'Confirm', [
    html`<p>Somebody wants notifications of an account to be sent to this address:</p>`,
    html`<p><strong>${foreign(address ?? '')}</strong></p>`,
    html`<p>If you did not expect this, close the page. The address is then forgotten.</p>`,
  ])
}

/** Tells that an address is confirmed. */
export function confirmedPage({ address }: BodyOf<'ConfirmNotificationEmail'>): Page {
  return statement('This address is confirmed', [
    html`<p><strong>${foreign(address ?? '')}</strong></p>`,
    html`<p>From now on it gets the notifications that were chosen for it. Every mail has a link that
ends them.</p>`,
  ])
}

/** Asks whether an address shall get no more notifications. */
export function unsubscribePage({ address }: BodyOf<'FollowUnsubscribeLink'>): Page {
  if (address === null) return unsubscribedPage()
  return question('Unsubscribe', 'Unsubscribe', [
    html`<p>This address would get no more notifications of this account:</p>`,
    html`<p><strong>${foreign(address)}</strong></p>`,
  ])
}

/** Tells that an address gets no more notifications. */
export function unsubscribedPage(): Page {
  return statement('Unsubscribed', [
    html`<p>This address gets no more notifications of this account.</p>`,
  ])
}

function question(title: string, answer: string, paragraphs: readonly Markup[]): Page {
  // Without an action the form goes to the address of the page, with its token.
  const main = html`<h1>${title}</h1>
${paragraphs}
<form method="post"><p class="buttons"><button type="submit">${answer}</button></p></form>`
  return page({ status: 200, title, main, formAction: "'self'" })
}

function statement(title: string, paragraphs: readonly Markup[]): Page {
  const main = html`<h1>${title}</h1>
${paragraphs}`
  return page({ status: 200, title, main })
}
