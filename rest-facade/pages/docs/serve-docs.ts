import type { Request, RequestHandler, Response } from 'express'
import { callOf } from '../../http/call.ts'
import { matchesEtag } from '../../http/etag.ts'
import { send } from '../../http/respond.ts'
import { encodingFor } from '../../http/static-answer.ts'
import { methodNotAllowed } from '../../http/unknown-route.ts'
import { type AnonymousLimit, countAddress, refusalOf } from '../../steps/rate-limit.ts'
import type { WhenNeeded } from '../when-needed.ts'
import type { DocsSite, SiteFile } from './site-file.ts'

const refuseMethod = methodNotAllowed(['GET', 'HEAD'])

/**
 * Answers `/docs` and `/llms.txt` without a key and without a look-up. The requests of one address
 * in a second are limited. For an unknown address, browsers get a page that says so, and other
 * clients the envelope.
 */
export function serveDocs(docs: WhenNeeded<DocsSite>, limit: AnonymousLimit): RequestHandler {
  return async function serveDocs(req, res, next) {
    const { path } = req
    if (path !== '/llms.txt' && path !== '/docs' && !path.startsWith('/docs/')) return next()
    const site = await docs.get()
    const file = site.find(path)
    const redirect = file ? null : site.redirectOf(path)
    const shown = file ?? (isReader(req) ? site.missing : null)
    const call = callOf(res)
    call.route = shown?.route ?? ''
    await countAddress(call, limit)
    const refusal = refusalOf(call)
    if (refusal) return next(refusal)
    if (!isRead(req)) return refuseMethod(req, res, next)
    if (redirect !== null) return send(res, 308, '', { Location: redirect })
    if (!shown) return next()
    return sendFile(req, res, shown, file ? 200 : 404)
  }
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Whether the client prefers HTML; JSON is the default. */
function isReader(req: Request): boolean {
  return req.accepts(['application/json', 'text/html']) === 'text/html'
}

async function sendFile(
  req: Request,
  res: Response,
  file: SiteFile,
  status: 200 | 404,
): Promise<void> {
  const encoding = encodingFor(req)
  const { body, etag } = await file.body.as(encoding)
  const headers = { 'Content-Security-Policy': file.policy, Vary: 'Accept, Accept-Encoding' }
  const content = {
    'Content-Type': file.contentType,
    ...(encoding === 'identity' ? {} : { 'Content-Encoding': encoding }),
  }
  if (status === 404) return send(res, 404, body, { ...headers, ...content })
  const validity = { ETag: etag, 'Cache-Control': cachingOf(file, req) }
  if (matchesEtag(req, etag)) return send(res, 304, '', { ...headers, ...validity })
  send(res, 200, body, { ...headers, ...validity, ...content })
}

/** A link with the current version is cached for good; any other is revalidated each time. */
function cachingOf({ version }: SiteFile, { query }: Request): string {
  const isNamed = version !== undefined && query.v === version()
  return isNamed ? 'public, max-age=31536000, immutable' : 'no-cache'
}
