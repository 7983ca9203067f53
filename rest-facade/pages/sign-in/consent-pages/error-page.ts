import { agentSchemes } from '../../../../schema/vocabulary/agent-schemes.ts'
import { foreign, html } from '../../html/html.ts'
import { type Page, page } from './page.ts'

interface Failure {
  readonly status: number
  readonly message: string
  readonly code: string
  readonly requestId: string
  /** The address at which the app learns of the failure; null if the app is unknown. */
  readonly returnTo: string | null
  /** The address of the page whose form was filled in wrongly; null for any other failure. */
  readonly answerAgain?: string | null
}

/** Says what failed; the person decides whether to follow the link back to the app. */
export function errorPage(failure: Failure): Page {
  const { status, message, code, requestId, returnTo, answerAgain } = failure
  const back =
    returnTo !== null && isFollowable(returnTo)
      ? html`<p><a href="${returnTo}" rel="noopener noreferrer">Return to the app</a></p>`
      : null
  const again = answerAgain && html`<p><a href="${answerAgain}">Answer again</a></p>`
  const main = html`<h1>This did not work</h1>
<p class="alert" role="alert">${foreign(message)}</p>
${again || null}
${back}
<p class="quiet">${code}, request ${requestId}</p>`
  return page({ status, title: 'Error', main })
}

/**
 * Web addresses and private-use schemes (RFC 8252 §7.1), never a scheme that runs code in this
 * page.
 */
function isFollowable(uri: string): boolean {
  const { protocol = '' } = URL.parse(uri) ?? {}
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb || protocol.includes('.') || agentSchemes.has(protocol.replace(/:$/, ''))
}
