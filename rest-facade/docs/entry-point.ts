import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Environment } from '../../schema/credentials/caller.ts'
import { send, sendJson } from '../http/respond.ts'
import type { DocsSite } from './docs-site.ts'

interface EntryPointOptions {
  readonly environment: Environment
  /** `{base_url}/v1` of the environment. */
  readonly issuer: string
  readonly docsUrl: string
  readonly docs: DocsSite
}

/** Where things are, for a client. */
export const entryPointAnswer = z.strictObject({
  environment: z.enum(['live', 'sandbox']).describe('The environment of this listener.'),
  api_url: z.url().describe('The address that all routes of the API begin with.'),
  documentation_url: z.url().describe('The documentation for people.'),
  openapi_url: z.url().describe('The OpenAPI document.'),
  health_url: z.url().describe('Whether the gateway lives.'),
  oauth_metadata_url: z.url().describe('The metadata of the OpenID provider.'),
})

/**
 * GET / of a public listener: a browser is sent to the documentation, and every other client gets
 * the addresses of the API, its description and its documentation as JSON.
 */
export function sendEntryPoint(options: EntryPointOptions): RequestHandler {
  const { environment, issuer, docsUrl, docs } = options
  const addresses: z.infer<typeof entryPointAnswer> = {
    environment,
    api_url: issuer,
    documentation_url: docsUrl,
    openapi_url: `${issuer}/openapi.json`,
    health_url: `${issuer}/health`,
    oauth_metadata_url: `${issuer}/.well-known/openid-configuration`,
  }
  const headers = { Vary: 'Accept' }
  return function sendEntryPoint(req, res) {
    const wantsPage = req.accepts(['application/json', 'text/html']) === 'text/html'
    if (wantsPage) return send(res, 302, '', { ...headers, Location: docs.firstPage })
    sendJson(res, 200, addresses, headers)
  }
}
