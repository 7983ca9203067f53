import { html } from '../../html/html.ts'
import { type Page, page } from './page.ts'

/**
 * The page for a browser that arrives from another site: it does not send a SameSite=Strict cookie until a
 * page of ours asks again. `query` is the raw query of the authorize request, without its question mark.
 */
export function continuePage({ query }: { readonly query: string }): Page {
  const address = `/v1/oauth/authorize?${query}`
  const main = html`<h1>One moment</h1>
<p><a href="${address}">Continue</a></p>`
  return page({ status: 200, title: 'One moment', main, refreshTo: address })
}
