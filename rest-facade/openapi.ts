import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { defaultAddresses } from '../schema/default-addresses.ts'
import { projectRoot } from '../schema/project-root.ts'
import { hasCopy } from './has-copy.ts'
import { parseInput } from './input.ts'
import { send } from './respond.ts'

/** The document as it is served: made once, when the gateway starts. */
export interface Openapi {
  readonly text: string
  /** Strong: of the bytes. */
  readonly tag: string
}

/** Where this gateway is: absolute, without a trailing slash. */
interface OpenapiAddresses {
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
}

/** The committed document with the addresses of this gateway in place of the default ones. */
export function readOpenapi({ baseUrls, docsUrl }: OpenapiAddresses): Openapi {
  const text = readFileSync(join(projectRoot, 'schema/openapi.json'), 'utf8')
  const served = JSON.stringify(JSON.parse(text), (_, value: unknown) =>
    typeof value === 'string'
      ? value
          .replaceAll(defaultAddresses.docsUrl, docsUrl)
          .replaceAll(defaultAddresses.baseUrls.live, baseUrls.live)
          .replaceAll(defaultAddresses.baseUrls.sandbox, baseUrls.sandbox)
      : value,
  )
  const tag = `"${createHash('sha256').update(served).digest('base64url').slice(0, 27)}"`
  return { text: served, tag }
}

const query = z.strictObject({})

/** GET /v1/openapi.json; 304 for whoever has it already. */
export function sendOpenapi({ openapi }: { readonly openapi: Openapi }): RequestHandler {
  const { text, tag } = openapi
  const headers = { ETag: tag, 'Cache-Control': 'public, max-age=300' }
  return function sendOpenapi(req, res) {
    parseInput({ query }, { params: req.params, query: req.query, body: {} })
    const isKnown = hasCopy(req, tag)
    send(res, isKnown ? 304 : 200, isKnown ? '' : text, headers)
  }
}
