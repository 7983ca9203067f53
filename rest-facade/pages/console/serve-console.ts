import type { Request, RequestHandler, Response } from 'express'
import { clientBlock } from '../../../schema/vocabulary/client-block.ts'
import { callOf } from '../../http/call.ts'
import { send } from '../../http/respond.ts'
import { methodNotAllowed } from '../../http/unknown-route.ts'
import { type AnonymousLimit, countAddress, noteWindow, refusalOf } from '../../steps/rate-limit.ts'
import type { DocsSite } from '../docs/site-file.ts'
import { html } from '../html/html.ts'
import type { WhenNeeded } from '../when-needed.ts'
import { type ConsoleFiles, isFileOfConsole, sendDocument, sendFile } from './send-console.ts'

/** The files of the console. `off`: this gateway has no console. Null: its console was not built. */
export type Console = ConsoleFiles | null | 'off'

interface ConsoleOptions extends AnonymousLimit {
  readonly console: Console
  /** The documentation, whose frame has the page that says why there is no console. */
  readonly docs: WhenNeeded<Pick<DocsSite, 'page'>>
}

type Message = Parameters<DocsSite['page']>

const refuseMethod = methodNotAllowed(['GET', 'HEAD'])

/**
 * Answers `/console` and each path below it. The document is the same for all of them: the console
 * finds its screen by the address. Its files are sent as they were built, and browsers keep them
 * for ever.
 */
export function serveConsole({ console, docs, ...limit }: ConsoleOptions): RequestHandler {
  return async function serveConsole(req, res, next) {
    const name = nameOf(req.path)
    if (name === null) return next()
    const isFile = isFileOfConsole(name)
    const call = callOf(res)
    call.route = isFile ? '/console/assets/{name}' : '/console'
    if (isFile) {
      // Files are not rate-limited: a page loads more of them than the limit of a second, and a
      // file is cheap.
      const files = `console:${clientBlock(call.address)}`
      await noteWindow(call, 'address', limit.anonymousLimiter(files, limit.anonymousRps))
    } else {
      await countAddress(call, limit)
      const refusal = refusalOf(call)
      if (refusal) return next(refusal)
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') return refuseMethod(req, res, next)
    if (console === 'off' || !console) {
      if (!isReader(req)) return next()
      const site = await docs.get()
      return sendMissing(res, site.page(...(console ? absent : unbuilt)))
    }
    if (!isFile) return sendDocument(res, console)
    const file = console.find(name)
    return file ? sendFile(req, res, file, name) : next()
  }
}

/** The part of the path after `/console/`; null: another path. */
function nameOf(path: string): string | null {
  if (path === '/console') return ''
  return path.startsWith('/console/') ? path.slice('/console/'.length) : null
}

/** Whether the client prefers HTML; JSON is the default. */
function isReader(req: Request): boolean {
  return req.accepts(['application/json', 'text/html']) === 'text/html'
}

function sendMissing(res: Response, page: ReturnType<DocsSite['page']>): void {
  send(res, 404, page.markup, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': page.policy,
  })
}

const absent: Message = [
  'There is no page here',
  html`<p>This gateway is run without its console. Everything that it shows is in the API.</p>`,
]

const unbuilt: Message = [
  'The console was not built',
  html`<p>This gateway runs without its console. The API and everything else work as usual.</p>
<p>To build the console, run this in the folder of the gateway, and start it again:</p>
<pre><code>npm ci
npm run build -w console</code></pre>`,
]
