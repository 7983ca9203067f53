import type { RequestHandler } from 'express'
import { z } from 'zod'
import { matchesEtag } from '../../http/etag.ts'
import { parseInput } from '../../http/input.ts'
import { send } from '../../http/respond.ts'
import { encodingFor, type StaticBody } from '../../http/static-answer.ts'

const query = z.strictObject({})

/** GET /v1/openapi.json; 304 if the client already has it. */
export function sendOpenapi({ openapi }: { readonly openapi: StaticBody }): RequestHandler {
  return async function sendOpenapi(req, res) {
    parseInput({ query }, { params: req.params, query: req.query, body: {} })
    const encoding = encodingFor(req)
    const { body, etag } = await openapi.as(encoding)
    const headers = {
      ETag: etag,
      'Cache-Control': 'public, max-age=300',
      Vary: 'Accept-Encoding',
    }
    if (matchesEtag(req, etag)) return send(res, 304, '', headers)
    if (encoding === 'identity') return send(res, 200, body, headers)
    send(res, 200, body, { ...headers, 'Content-Encoding': encoding })
  }
}
