import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { defaultAddresses } from '../schema/default-addresses.ts'
import { oauthSecretKinds } from '../schema/oauth-secret-format.ts'
import { projectRoot } from '../schema/project-root.ts'
import { encodingFor, type StaticBody, staticBody } from './docs/static-answer.ts'
import { hasCopy } from './has-copy.ts'
import { parseInput } from './input.ts'
import { send } from './respond.ts'

/** What the document says of a gateway that differs from one to another. */
interface OpenapiOptions {
  /** Absolute, without a trailing slash. */
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
  /** The `<svc>` of keys and of `X-<svc>-Idempotency-Key`. */
  readonly keyPrefix: string
}

/** What is sent of the document: made when somebody first asks for it, and then kept. */
export function openapiBody(options: OpenapiOptions): StaticBody {
  return staticBody(() => openapiText(options))
}

const kinds = ['live', 'test', ...oauthSecretKinds]

/** The committed document, with what this gateway is configured in place of the defaults. */
export function openapiText({ baseUrls, docsUrl, keyPrefix }: OpenapiOptions): string {
  const text = readFileSync(join(projectRoot, 'schema/openapi.json'), 'utf8')
  const configured = new Map<string, string>([
    [defaultAddresses.docsUrl, docsUrl],
    [defaultAddresses.baseUrls.live, baseUrls.live],
    [defaultAddresses.baseUrls.sandbox, baseUrls.sandbox],
    ['X-SVC-Idempotency-Key', `X-${keyPrefix.toUpperCase()}-Idempotency-Key`],
    ...kinds.map((kind) => [`svc_${kind}_`, `${keyPrefix}_${kind}_`] as const),
  ])
  // All in one pass, so that nothing put in is replaced again; the longest that fits comes first.
  const longestFirst = [...configured.keys()].sort((a, b) => b.length - a.length)
  const defaults = new RegExp(longestFirst.join('|').replaceAll('.', String.raw`\.`), 'g')
  const inJson = (value: string) => JSON.stringify(value).slice(1, -1)
  const compact = JSON.stringify(JSON.parse(text))
  return compact.replaceAll(defaults, (found) => inJson(configured.get(found) ?? found))
}

const query = z.strictObject({})

/** GET /v1/openapi.json; 304 for whoever has it already. */
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
    if (hasCopy(req, etag)) return send(res, 304, '', headers)
    if (encoding === 'identity') return send(res, 200, body, headers)
    send(res, 200, body, { ...headers, 'Content-Encoding': encoding })
  }
}
