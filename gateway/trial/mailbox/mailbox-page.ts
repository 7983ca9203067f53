import { foreign, html, type Markup } from '../../../rest-facade/pages/html/html.ts'
import { type Page, page } from '../../../rest-facade/pages/sign-in/consent-pages/page.ts'
import type { KeptMail } from './mailbox.ts'

/** The mails as a page: the text of each, with links that work. */
export function mailboxPage(mails: readonly KeptMail[]): Page {
  const main = html`<h1>Mailbox</h1>
<p class="quiet">These mails were written and not sent, because SMTP_URL is mailbox:. The newest is first.</p>
${mails.length === 0 ? html`<p>No mails yet.</p>` : mails.map(mailMarkup)}`
  return page({ status: 200, title: 'Mailbox', main })
}

function mailMarkup({ subject, to, from, sentAt, id, text }: KeptMail): Markup {
  return html`<h2>${foreign(subject)}</h2>
<p class="quiet">${sentAt}, from ${foreign(from)} to ${foreign(to)}, ${id}</p>
${text.split('\n\n').map((paragraph) => html`<p>${linesOf(paragraph)}</p>`)}`
}

function linesOf(paragraph: string): Markup[] {
  return paragraph.split('\n').map((line) => html`${partsOf(line)}<br>`)
}

/** The words of a line; an address of the web is a link. */
function partsOf(line: string): Markup[] {
  return line.split(' ').map((word) => {
    const isLink = /^https?:\/\/\S+$/.test(word)
    return isLink ? html`<a href="${word}" rel="noreferrer">${word}</a> ` : html`${word} `
  })
}
