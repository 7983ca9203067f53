import type { RequestHandler } from 'express'
import type { BackendKeys } from '../../../rest-facade/backends/caller-tokens.ts'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { whenNeeded } from '../../../rest-facade/pages/when-needed.ts'
import { addressesOf } from '../../config/addresses.ts'
import { internalSettingsOf, internalTokenKeyOf } from '../../config/internal-settings.ts'
import { mailbox as mailboxUrl } from '../../config/variables/mail-settings.ts'
import type { ExecuteDocument } from '../../internal/execute-document.ts'
import {
  createInternalApp,
  type InternalGraphql,
  toolsGraphql,
} from '../../internal/internal-app.ts'
import type { Listener } from '../../listeners/listener.ts'
import type { Readiness } from '../../listeners/readiness.ts'
import type { ProcessContext } from '../process/process-context.ts'

interface InternalOptions {
  readonly internal: Listener
  readonly readiness: Readiness
  /** GraphQL of this process; null if the process answers none. */
  readonly graphql: InternalGraphql | null
  /** The page of operators; null or absent: there is none. */
  readonly operator?: RequestHandler | null
  readonly backendKeys?: BackendKeys
  readonly docsUrl?: string
}

/** Serves the internal port of a process. */
export function serveInternal(
  { role, config, log, metrics, processGroup, mailbox }: ProcessContext,
  { internal, docsUrl = addressesOf(config).docsUrl, ...options }: InternalOptions,
): void {
  const app = createInternalApp({
    ...internalSettingsOf(config, role === 'all' ? 'gateway' : role),
    ...{ ...options, docsUrl, metrics, log, anonymousRps: config.ANONYMOUS_RPS },
    anonymousLimiter: processGroup.windowLimiter('internal'),
    metricsText: () => processGroup.metricsText(metrics),
    keptMails: config.SMTP_URL === mailboxUrl ? () => processGroup.keptMails(mailbox.list()) : null,
  })
  internal.serve(app)
}

interface ToolsGraph {
  readonly execute: Execute
  readonly executeDocument: ExecuteDocument
}

/** GraphQL for internal tools, over the supergraph. */
export function openToolsGraphql(
  { config, log, resources }: ProcessContext,
  { execute, executeDocument }: ToolsGraph,
  gatewaySecret: string,
): InternalGraphql {
  // This is loaded at the first request: it is rarely used, and its packages are large.
  const server = whenNeeded(async () => {
    const { createGraphqlServer } = await import('../../internal/graphql-server.ts')
    return createGraphqlServer({ executeDocument, log })
  })
  resources.defer(async () => (await server.opened())?.stop())
  return toolsGraphql(server.get, {
    tokenKey: internalTokenKeyOf(gatewaySecret),
    maxTtlSeconds: config.INTERNAL_TOKEN_MAX_TTL,
    execute,
  })
}
