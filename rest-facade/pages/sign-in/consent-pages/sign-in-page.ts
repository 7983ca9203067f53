import { html } from '../../html/html.ts'
import { appName, claimedName, type ShownClient } from './app-name.ts'
import { type Page, page } from './page.ts'

interface SignIn {
  /** The raw query of the authorize request, without its question mark. */
  readonly query: string
  /** The token of a request that asks for a sign-in of its own; null for any other request. */
  readonly continueToken: string | null
  /** Whether a link has signed the browser in, whose proof is too old. */
  readonly isByLink?: boolean
  /** The request of the app, as a query, where a sign-in to the console counts for it; null elsewhere. */
  readonly consoleRequest?: string | null
  /** Null if the app is unknown. */
  readonly client: ShownClient | null
  /** Why the last attempt failed. */
  readonly message: string | null
  readonly status: number
}

const byLink = html`<p class="quiet">A new sign-in link counts too: open it, then open this page again.</p>`

/** The console signs members in without a key, and leads back to the request. */
function toConsole(request: string) {
  const address = `/console/authorize?${new URLSearchParams({ request })}`
  return html`<p>Have you no key? <a href="${address}">Sign in to the console</a> by mail or with a passkey: it leads back here.</p>
`
}

/** Asks for an API key. The form leads back to the authorize request. */
export function signInPage(options: SignIn): Page {
  const { query, continueToken, isByLink = false, client, message, status } = options
  const { consoleRequest = null } = options
  const app = client === null ? html`the app` : appName(client)
  const alert = message && html`<p class="alert" role="alert" id="problem">${message}</p>`
  const field = {
    describedBy: alert ? 'problem help' : 'help',
    invalid: alert ? html` aria-invalid="true"` : null,
  }
  const main = html`<h1>Sign in</h1>
<p>Sign in with an API key of your account to continue to ${app}.</p>
${client && claimedName(client)}
${alert || null}
<form method="post" action="/v1/oauth/session">
<input type="hidden" name="return_to" value="${query}">
<input type="hidden" name="continue_token" value="${continueToken ?? ''}">
<label for="api_key">API key</label>
<input id="api_key" name="api_key" type="password" autocomplete="off" autocapitalize="none"
  spellcheck="false" required autofocus aria-describedby="${field.describedBy}"${field.invalid}>
<p class="quiet" id="help">The app never sees this key.</p>
<div class="buttons"><button>Sign in</button></div>
</form>
${consoleRequest === null ? null : toConsole(consoleRequest)}${isByLink ? byLink : null}`
  const title = alert ? 'Error: Sign in' : 'Sign in'
  return page({ status, title, main, formAction: "'self'" })
}
