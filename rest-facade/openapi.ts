import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequestHandler } from 'express'
import { z } from 'zod'
import { defaultAddresses } from '../schema/default-addresses.ts'
import { projectRoot } from '../schema/project-root.ts'
import { headerOf } from './call.ts'
import { parseInput } from './input.ts'
import { send } from './respond.ts'

/** The document as it is served: made once, when the gateway starts. */
export interface Openapi {
  readonly text: string
  /** Strong: of the bytes. */
  readonly tag: string
}

/** What the document says of a gateway that differs from one to another. */
interface OpenapiOptions {
  /** Absolute, without a trailing slash. */
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
  /** The `<svc>` of keys and of `X-<svc>-Idempotency-Key`. */
  readonly keyPrefix: string
}

/** The committed document, with what this gateway is configured in place of the defaults. */
export function readOpenapi({ baseUrls, docsUrl, keyPrefix }: OpenapiOptions): Openapi {
  const text = readFileSync(join(projectRoot, 'schema/openapi.json'), 'utf8')
  const replacements = [
    [defaultAddresses.docsUrl, docsUrl],
    [defaultAddresses.baseUrls.live, baseUrls.live],
    [defaultAddresses.baseUrls.sandbox, baseUrls.sandbox],
    ['X-SVC-Idempotency-Key', `X-${keyPrefix.toUpperCase()}-Idempotency-Key`],
    ['svc_live_', `${keyPrefix}_live_`],
    ['svc_test_', `${keyPrefix}_test_`],
  ] as const

  function configured(value: unknown): unknown {
    if (typeof value !== 'string') return value
    return replacements.reduce((said, [from, to]) => said.replaceAll(from, () => to), value)
  }

  const served = JSON.stringify(JSON.parse(text), (_, value: unknown) => configured(value))
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
    const isKnown = knows(headerOf(req, 'if-none-match'), tag)
    send(res, isKnown ? 304 : 200, isKnown ? '' : text, headers)
  }
}

/** RFC 9110 §13.1.2: weak comparison, in a list or `*`. */
function knows(header: string, tag: string): boolean {
  if (header.trim() === '*') return true
  return header.split(',').some((known) => known.trim().replace(/^W\//, '') === tag)
}
