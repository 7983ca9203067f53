import { foreign, html } from '../../html/html.ts'
import { appName, claimedName, type ShownClient } from './app-name.ts'
import { type Page, page } from './page.ts'

interface AskOwner {
  /** `{base_url}/v1` */
  readonly issuer: string
  /** The query of the app's request. */
  readonly request: string
  readonly client: ShownClient
  /** The name of the account that is signed in; null if it is not known. */
  readonly accountName: string | null
}

/** For a person whose role, or whose key, may not approve apps: somebody else of the account may. */
export function askOwnerPage({ issuer, request, client, accountName }: AskOwner): Page {
  const address = `${issuer}/oauth/authorize?${request}`
  const account =
    accountName === null ? html`this account` : html`<strong>${foreign(accountName)}</strong>`
  const main = html`<h1>Ask an owner</h1>
<p>Only an owner of ${account} can allow ${appName(client)} to use it. Ask an owner to open this
address, or to connect the app with a browser of their own:</p>
<p><a href="${address}">${address}</a></p>
<p><a href="${withSignIn(request)}">Sign in with the API key of an owner</a></p>
${claimedName(client)}
<p class="quiet">Nothing was allowed.</p>`
  return page({ status: 200, title: 'Ask an owner', main })
}

/** The same request, which then asks for a sign-in of its own. */
function withSignIn(request: string): string {
  const parameters = new URLSearchParams(request)
  parameters.set('prompt', 'login')
  return `/v1/oauth/authorize?${parameters}`
}
