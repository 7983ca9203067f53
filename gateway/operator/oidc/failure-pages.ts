import { foreign, html, type Markup } from '../../../rest-facade/pages/html/html.ts'
import { type Page, page } from '../../../rest-facade/pages/sign-in/consent-pages/page.ts'

interface Content {
  readonly status: number
  readonly title: string
  readonly paragraphs: readonly Markup[]
}

function failurePage({ status, title, paragraphs }: Content): Page {
  const main = html`<h1>${title}</h1>
${paragraphs}
<p><a href="/operator/sign-in">Sign in again</a></p>`
  return page({ status, title, main })
}

/** The issuer does not answer. */
export function unavailablePage(issuer: string): Page {
  return failurePage({
    status: 503,
    title: 'The issuer cannot be reached',
    paragraphs: [
      html`<p>The sign-in needs ${foreign(issuer)}, which does not answer as it should. Try again in a moment.</p>`,
      html`<p>If it takes longer, somebody with access to this machine can make a link:
<code>gateway operator link</code>. The log of the gateway says what went wrong.</p>`,
    ],
  })
}

/** This browser has no state of a sign-in: another one began it, it took too long, or it is over. */
export function unknownSignInPage(): Page {
  return failurePage({
    status: 400,
    title: 'This sign-in does not go on here',
    paragraphs: [
      html`<p>This browser did not begin the sign-in, or the sign-in is over, or it took longer than ten minutes.</p>`,
    ],
  })
}

/** The issuer has declined, or its answer is not right. */
export function refusedPage(issuer: string): Page {
  return failurePage({
    status: 403,
    title: 'You are not signed in',
    paragraphs: [
      html`<p>${foreign(issuer)} declined, or what it answered could not be accepted. The log of the
gateway says why.</p>`,
    ],
  })
}

/** The issuer knows the person, and no role here is theirs. Names the claim, and no values but their own subject. */
export function noRolePage(claim: string, subject: string): Page {
  return failurePage({
    status: 403,
    title: 'You have no role here',
    paragraphs: [
      html`<p>The issuer knows you as ${foreign(subject.slice(0, 255))}. Who has a role here, the claim
<code>${foreign(claim)}</code> says, and yours has none of the values that give one.</p>`,
      html`<p>Ask those who operate this gateway, or those who look after the issuer.</p>`,
    ],
  })
}

/** A step-up by somebody who has not signed in again. */
export function noNewLoginPage(): Page {
  return failurePage({
    status: 403,
    title: 'Nobody has signed in again',
    paragraphs: [
      html`<p>To confirm that it is you, sign in at the issuer again. It answered with a sign-in of before.</p>`,
      html`<p><a href="/operator/sign-in?step_up=1">Confirm again</a></p>`,
    ],
  })
}

/** A step-up by somebody else. */
export function otherPersonPage(): Page {
  return failurePage({
    status: 403,
    title: 'This is somebody else',
    paragraphs: [
      html`<p>Somebody else has signed in at the issuer than is signed in here. Your session is unchanged.</p>`,
      html`<p><a href="/operator">Back</a></p>`,
    ],
  })
}
