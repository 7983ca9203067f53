import type { BodyOf } from '../../../../schema/generated/operations.ts'
import { foreign, html, type Markup } from '../../html/html.ts'
import { claimedName, knownOf } from './app-name.ts'
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
  const { client, requested_scope, redirect_uri, consent_token } = screen
  if (consent_token === null) throw new Error('The screen has no consent token.')
  const allow = answerAddress(query, consent_token, 'allow')
  const deny = answerAddress(query, consent_token, 'deny')
  const main = html`${client.origin ? unverifiedTitle(client) : title(client)}
${about(screen)}
<h2>If you allow it, the app can</h2>
<ul>${requested_scope.map(scopeItem)}</ul>
<form method="post" action="${deny}">
${screen.budgets ? neededBudgets(screen.budgets) : optionalBudgets}
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

function title({ name }: Client): Markup {
  return html`<h1>Allow ${foreign(name)} to use your account?</h1>`
}

/** What is known of the app comes before what it says of itself. */
function unverifiedTitle(client: Client): Markup {
  return html`<h1>${knownOf(client, 'An app')} asks to use your account</h1>
${claimedName(client)}`
}

/** Describes the app. The warning that nobody has verified it comes before the app's own words. */
function about({ client, account_name: accountName, redirect_uri: redirectUri }: Screen): Markup {
  const { verified, owner_name: owner, redirect_host: host } = client
  const trust = verified
    ? html`<p>This app is verified.</p>`
    : html`<p class="caution"><strong>This app is not verified.</strong> Nobody has checked who made it.
Allow it only if you trust where you are sent afterwards.</p>`
  return html`${trust}
${client.origin && isOnThisDevice(redirectUri) ? onThisDevice : null}
<dl>
${accountName ? html`<dt>Signed in as</dt><dd>${foreign(accountName)}</dd>` : null}
${owner ? html`<dt>Registered by</dt><dd>${foreign(owner)}</dd>` : null}
<dt>Sends you to</dt><dd>${foreign(host)}</dd>
</dl>`
}

/** Any program of the device can receive what goes to loopback or to a private-use scheme. */
function isOnThisDevice(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri)
  return protocol !== 'https:' || /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
}

const onThisDevice = html`<p class="caution">The access goes to a program on this device. Allow it only if
you have just started to connect that program yourself.</p>`

const optionalBudgets = html`<label for="budgets">Spending limit (optional)</label>
<input id="budgets" name="budgets" maxlength="200" pattern="${budgetPattern()}" placeholder="day:500"
  autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="budgets-help">
<p class="quiet" id="budgets-help">Credits that the app may spend in a day, week, month or in total,
such as day:500,month:5000. Leave it empty to change nothing.</p>`

const periodNames = [
  ['day', 'a day'],
  ['week', 'a week'],
  ['month', 'a month'],
  ['total', 'in total'],
] as const

/** One limit is asked for by number and period. Several that there are can only be confirmed, or lowered as text. */
function neededBudgets(budgets: NonNullable<Screen['budgets']>): Markup {
  const [one, ...others] = budgets
  if (others.length > 0 || !one) {
    const text = budgets.map(({ period, limit_credits: limit }) => `${period}:${limit}`).join(',')
    return html`<label for="budgets">Spending limits</label>
<input id="budgets" name="budgets" value="${text}" maxlength="200" pattern="${budgetPattern()}" required
  autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="budgets-help">
<p class="quiet" id="budgets-help">Credits that the app may spend. You can lower them here.</p>`
  }
  const periods = periodNames.map(
    ([name, words]) =>
      html`<option value="${name}"${name === one.period ? html` selected` : null}>${words}</option>`,
  )
  return html`<fieldset>
<legend>Spending limit</legend>
<label for="budget_credits">Credits</label>
<input id="budget_credits" name="budget_credits" type="number" value="${String(one.limit_credits)}" min="1"
  max="${String(Number.MAX_SAFE_INTEGER)}" required aria-describedby="budgets-help">
<label for="budget_period">Period</label>
<select id="budget_period" name="budget_period">${periods}</select>
<p class="quiet" id="budgets-help">The app cannot spend more. You can raise the limit later in the console.</p>
</fieldset>`
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

function budgetPattern(): string {
  const one = '(day|week|month|total):[1-9][0-9]{0,15}'
  return ` *${one}(, *${one})* *`
}

/** The parameters that our pages add to the request of an app. */
const own = new Set([
  ...['budgets', 'budget_credits', 'budget_period'],
  ...['consent_token', 'continue_token', 'decision'],
])

/** The address to which a button leads. A link to the page must not bring a decision of its own. */
function answerAddress(query: string, consentToken: string, decision: 'allow' | 'deny'): string {
  const pairs = query.split('&').filter((pair) => {
    const [name] = new URLSearchParams(pair).keys()
    return name === undefined || !own.has(name)
  })
  const token = encodeURIComponent(consentToken)
  return `/v1/oauth/consent?${[...pairs, `consent_token=${token}`, `decision=${decision}`].join('&')}`
}
