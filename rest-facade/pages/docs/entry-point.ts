import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { send, sendJson } from '../../http/respond.ts'
import { html, type Markup } from '../html/html.ts'
import type { WhenNeeded } from '../when-needed.ts'
import type { DocsSite } from './site-file.ts'

interface EntryPointOptions {
  readonly environment: Environment
  /** `{base_url}/v1` of the environment. */
  readonly issuer: string
  readonly docsUrl: string
  readonly docs: WhenNeeded<DocsSite>
  /** Whether this gateway has a console. */
  readonly hasConsole: boolean
}

/** Where things are, for a client. */
export const entryPointAnswer = z.strictObject({
  environment: z.enum(['live', 'sandbox']).describe('The environment of this listener.'),
  api_url: z.url().describe('The address that all routes of the API begin with.'),
  console_url: z.nullable(z.url()).describe('The console for people; null: it is turned off.'),
  documentation_url: z.url().describe('The documentation for people.'),
  openapi_url: z.url().describe('The OpenAPI document.'),
  health_url: z.url().describe('Whether the gateway lives.'),
  oauth_metadata_url: z.url().describe('The metadata of the OpenID provider.'),
})

/**
 * GET / of a public listener: a browser is sent to the console, or gets a page of links where there is none,
 * and every other client gets the addresses as JSON.
 */
export function sendEntryPoint(options: EntryPointOptions): RequestHandler {
  const { environment, issuer, docsUrl, docs, hasConsole } = options
  const consoleUrl = `${issuer.replace(/\/v1$/, '')}/console`
  const addresses: z.infer<typeof entryPointAnswer> = {
    environment,
    api_url: issuer,
    console_url: hasConsole ? consoleUrl : null,
    documentation_url: docsUrl,
    openapi_url: `${issuer}/openapi.json`,
    health_url: `${issuer}/health`,
    oauth_metadata_url: `${issuer}/.well-known/openid-configuration`,
  }
  const headers = { Vary: 'Accept' }
  return async function sendEntryPoint(req, res) {
    const wantsPage = req.accepts(['application/json', 'text/html']) === 'text/html'
    if (!wantsPage) return sendJson(res, 200, addresses, headers)
    // A path: a browser stays on the name of the host that it used.
    const location = new URL(consoleUrl).pathname
    if (hasConsole) return send(res, 302, '', { ...headers, Location: location })
    const site = await docs.get()
    const { markup, policy } = site.page('Credit Gateway', links(addresses))
    const page = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy }
    send(res, 200, markup, { ...headers, ...page })
  }
}

function links(addresses: z.infer<typeof entryPointAnswer>): Markup {
  const shown = [
    ['Documentation', addresses.documentation_url],
    ['OpenAPI document', addresses.openapi_url],
    ['Health', addresses.health_url],
  ] as const
  const items = shown.map(([label, url]) => html`<li><a href="${url}">${label}</a></li>`)
  return html`<p>The ${addresses.environment} API is at <code>${addresses.api_url}</code>.</p>
<ul>${items}</ul>`
}
