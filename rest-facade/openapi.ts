import { createHash } from 'node:crypto'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { type ConfiguredOptions, configuredJson } from './configured-json.ts'
import { hasCopy } from './has-copy.ts'
import { parseInput } from './input.ts'
import { send } from './respond.ts'

/** The document as it is served: made once, when the gateway starts. */
export interface Openapi {
  readonly text: string
  /** Strong: of the bytes. */
  readonly tag: string
}

/** The committed document, with the addresses of this gateway. */
export function readOpenapi(options: ConfiguredOptions): Openapi {
  const text = configuredJson('openapi.json', options)
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  return { text, tag }
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
