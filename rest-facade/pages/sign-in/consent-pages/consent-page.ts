import type { BodyOf } from '../../../../schema/generated/operations.ts'
import { foreign, html, type Markup } from '../../html/html.ts'
import { type Page, page } from './page.ts'

type Screen = BodyOf<'Authorize'>
type Client = Screen['client']

interface Consent {
  /** The raw query of the authorize request, without its question mark. */
  readonly query: string
  /** Of a signed-in account holder: the page throws when the consent token is missing. */
  readonly screen: Screen
}

/** Asks whether to allow the request of the app. Both buttons send the request unchanged. */
export function consentPage({ query, screen }: Consent): Page {
  const { client, account_name, requested_scope, redirect_uri, consent_token } = screen
  if (consent_token === null) throw new Error('The screen has no consent token.')
  const allow = answerAddress(query, consent_token, 'allow')
  const deny = answerAddress(query, consent_token, 'deny')
  const main = html`<h1>Allow ${foreign(client.name)} to use your account?</h1>
${about(client, account_name)}
<h2>If you allow it, the app can</h2>
<ul>${requested_scope.map(scopeItem)}</ul>
<form method="post" action="${deny}">
<label for="budgets">Spending limit (optional)</label>
<input id="budgets" name="budgets" maxlength="200" pattern="${budgetPattern}" placeholder="day:500"
  autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="budgets-help">
<p class="quiet" id="budgets-help">Credits that the app may spend in a day, week, month or in total,
such as day:500,month:5000. Leave it empty to change nothing.</p>
<div class="buttons">
<button class="second" formaction="${deny}" formnovalidate>Deny</button>
<button formaction="${allow}">Allow</button>
</div>
</form>
<p class="quiet">You can withdraw this at any time.</p>
${links(client)}`
  // Chromium checks every redirect after a form against this list, and apps redirect to other hosts
  // of their own. A scheme allows all hosts, IPv6 hosts too, and it has no character that could end
  // the list.
  const formAction = `'self' ${new URL(redirect_uri).protocol}`
  return page({ status: 200, title: 'Allow access?', main, formAction })
}

/** Describes the app. The warning that nobody has verified it comes before the app's own words. */
function about(
  { verified, owner_name: owner, redirect_host: host }: Client,
  accountName: string | null,
): Markup {
  const trust = verified
    ? html`<p>This app is verified.</p>`
    : html`<p class="caution"><strong>This app is not verified.</strong> Nobody has checked who made it.
Allow it only if you trust where you are sent afterwards.</p>`
  return html`${trust}
<dl>
${accountName ? html`<dt>Signed in as</dt><dd>${foreign(accountName)}</dd>` : null}
${owner ? html`<dt>Registered by</dt><dd>${foreign(owner)}</dd>` : null}
<dt>Sends you to</dt><dd>${foreign(host)}</dd>
</dl>`
}

function scopeItem({
  name,
  description,
  already_granted,
}: Screen['requested_scope'][number]): Markup {
  const note = already_granted ? ', allowed before' : null
  return html`<li>${description} <span class="quiet">${name}${note}</span></li>`
}

/**
 * The app's own links, if they are https. The page never loads the logo of the app, because that
 * would tell the app who looks at the page.
 */
function links({ client_uri, policy_uri, tos_uri }: Client): Markup | null {
  const all = [
    link('About the app', client_uri),
    link('Privacy policy', policy_uri),
    link('Terms of service', tos_uri),
  ]
  const shown = all.filter((item) => item !== null)
  return shown.length > 0 ? html`<p class="links quiet">${shown}</p>` : null
}

function link(text: string, uri: string | null): Markup | null {
  if (!uri || URL.parse(uri)?.protocol !== 'https:') return null
  return html`<a href="${uri}" rel="noopener noreferrer">${text}</a> `
}

const budgetPattern = ((one) => ` *${one}(, *${one})* *`)('(day|week|month|total):[1-9][0-9]{0,15}')

/** The parameters that our pages add to the request of an app. */
const own = new Set(['budgets', 'consent_token', 'continue_token', 'decision'])

/** The address to which a button leads. A link to the page must not bring a decision of its own. */
function answerAddress(query: string, consentToken: string, decision: 'allow' | 'deny'): string {
  const pairs = query.split('&').filter((pair) => {
    const [name] = new URLSearchParams(pair).keys()
    return name === undefined || !own.has(name)
  })
  const token = encodeURIComponent(consentToken)
  return `/v1/oauth/consent?${[...pairs, `consent_token=${token}`, `decision=${decision}`].join('&')}`
}
