import type { RequestHandler } from 'express'
import { callOf } from '../../rest-facade/http/call.ts'
import { send } from '../../rest-facade/http/respond.ts'
import { methodNotAllowed } from '../../rest-facade/http/unknown-route.ts'
import {
  type ConsoleFiles,
  isFileOfConsole,
  sendDocument,
  sendFile,
} from '../../rest-facade/pages/console/send-console.ts'
import { html } from '../../rest-facade/pages/html/html.ts'
import { page } from '../../rest-facade/pages/sign-in/consent-pages/page.ts'

const refuseMethod = methodNotAllowed(['GET', 'HEAD'])

/**
 * Answers `/operator` and each path below it with the document of the page, which finds its screen by the address; its
 * files are sent as they were built. It shows nothing by itself: what it shows, it asks of `/operator/api`.
 */
export function serveOperatorPage(files: ConsoleFiles | null): RequestHandler {
  return function serveOperatorPage(req, res, next) {
    if (req.method !== 'GET' && req.method !== 'HEAD') return refuseMethod(req, res, next)
    // Below /operator, where this runs, the path begins with a slash.
    const name = req.path.slice(1)
    const isFile = isFileOfConsole(name)
    callOf(res).route = isFile ? '/operator/assets/{name}' : '/operator'
    if (!files) return send(res, unbuilt.status, unbuilt.html, unbuilt.headers)
    if (!isFile) return sendDocument(res, files)
    const file = files.find(name)
    return file ? sendFile(req, res, file, name) : next()
  }
}

const unbuilt = page({
  status: 404,
  title: 'The page of operators was not built',
  main: html`<h1>The page of operators was not built</h1>
<p>This gateway runs without it. The API, the command line and internal GraphQL work as usual.</p>
<p>To build the page, run this in the folder of the gateway, and start it again:</p>
<pre><code>npm ci
npm run build -w console</code></pre>`,
})
