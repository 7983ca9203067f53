import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import type { ProbeBackends } from '../../backends/probes.ts'
import { send, sendJson } from '../../http/respond.ts'
import { html, type Markup } from '../html/html.ts'
import type { WhenNeeded } from '../when-needed.ts'
import type { DocsSite } from './site-file.ts'

const state = z.enum(['live', 'degraded'])

/** How the API and each product are, for everybody. */
export const statusAnswer = z.strictObject({
  status: state.describe('Degraded: the API, or at least one service, is degraded.'),
  environment: z.enum(['live', 'sandbox']).describe('The environment of this listener.'),
  services: z
    .array(
      z.strictObject({
        service: z
          .string()
          .describe('The part of the path that calls of it begin with; `api`: the API itself.'),
        name: z.string().describe('Its name, for people.'),
        status: state.describe('Live: it answers. Degraded: it does not, or calls may fail.'),
      }),
    )
    .describe('The API itself, then every product.'),
  checked_at: z.iso
    .datetime()
    .describe('When this was found out; for ten seconds it is not asked again.'),
})

type Status = z.infer<typeof statusAnswer>

interface StatusOptions {
  readonly environment: Environment
  readonly catalog: Catalog
  readonly probeBackends: ProbeBackends
  /** Says what keeps this process from serving; null: nothing does. */
  readonly readiness: { problem(): string | null }
  readonly docs: WhenNeeded<DocsSite>
}

const keptMs = 10_000

/**
 * Finds the status out, at most once in ten seconds for all who ask. It names no address and no reason, which are for
 * the operator. `now` is the time in milliseconds.
 */
export function statusOf(
  { environment, catalog, probeBackends, readiness }: Omit<StatusOptions, 'docs'>,
  now: () => number = Date.now,
): () => Promise<Status> {
  let kept: { readonly status: Promise<Status>; readonly untilMs: number } | null = null
  async function find(): Promise<Status> {
    const checkedAt = new Date(now()).toISOString()
    // A gateway that cannot ask its modules does not know that they answer.
    const backends = await probeBackends().catch(() => [])
    const isUp = new Set(
      backends.flatMap(({ module, status }) => (status === 'up' ? [module] : [])),
    )
    const services = [
      { service: 'api', name: 'API', status: stateOf(readiness.problem() === null) },
      ...catalog.services.map(({ slug, name, backendModule }) => ({
        ...{ service: slug, name, status: stateOf(isUp.has(backendModule)) },
      })),
    ]
    const status = stateOf(services.every((service) => service.status === 'live'))
    return { status, environment, services, checked_at: checkedAt }
  }
  return () => {
    if (kept === null || now() >= kept.untilMs) kept = { status: find(), untilMs: now() + keptMs }
    return kept.status
  }
}

function stateOf(isLive: boolean): z.infer<typeof state> {
  return isLive ? 'live' : 'degraded'
}

/** GET /status of a public listener: a page for a browser, JSON for every other client. */
export function sendStatus(options: StatusOptions): RequestHandler {
  const find = statusOf(options)
  const headers = { Vary: 'Accept', 'Cache-Control': 'no-store' }
  return async function sendStatus(req, res) {
    const status = await find()
    const wantsPage = req.accepts(['application/json', 'text/html']) === 'text/html'
    if (!wantsPage) return sendJson(res, 200, status, headers)
    const site = await options.docs.get()
    const { markup, policy } = site.page('Status', shown(status))
    const page = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy }
    send(res, 200, markup, { ...headers, ...page })
  }
}

function shown({ status, environment, services, checked_at }: Status): Markup {
  const degraded = services.filter((service) => service.status === 'degraded').length
  const sentence =
    status === 'live'
      ? `Everything works${environment === 'sandbox' ? ' in the sandbox' : ''}.`
      : `${degraded} of ${services.length} ${degraded === 1 ? 'is' : 'are'} degraded: calls may fail, and failed calls cost nothing.`
  const rows = services.map(
    (service) =>
      html`<tr><th scope="row">${service.name}</th><td><span class="state ${service.status}">${words[service.status]}</span></td></tr>`,
  )
  return html`<p>${sentence}</p>
<table class="status"><thead><tr><th scope="col">Service</th><th scope="col">Status</th></tr></thead><tbody>${rows}</tbody></table>
<p>Checked at <time datetime="${checked_at}">${checked_at.slice(11, 19)} UTC</time>. <a href="">Check again</a> after ten seconds. Programs get the same as JSON.</p>`
}

const words = { live: 'Live', degraded: 'Degraded' }
