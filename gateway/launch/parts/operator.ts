import type { RequestHandler } from 'express'
import type { Execute } from '../../../rest-facade/graph/graph-client.ts'
import { addressesOf } from '../../config/addresses.ts'
import { oidcSettingsOf, operatorBaseUrlOf } from '../../config/operator-settings.ts'
import type { ExecuteDocument } from '../../internal/execute-document.ts'
import type { Listener } from '../../listeners/listener.ts'
import { oidcClient } from '../../operator/oidc/sign-in.ts'
import { createOperatorApp } from '../../operator/operator-app.ts'
import { operatorSessions } from '../../operator/operator-sessions.ts'
import type { ProcessContext } from '../process/process-context.ts'
import { readOperatorPage } from './console-files.ts'

interface OperatorOptions {
  readonly internal: Listener
  readonly execute: Execute
  readonly executeDocument: ExecuteDocument
  readonly gatewaySecret: string
  readonly docsUrl?: string
}

/** The page of operators, over the supergraph; null without an address. */
export function openOperatorPage(
  { config, log, processGroup }: ProcessContext,
  options: OperatorOptions,
): RequestHandler | null {
  const { internal, execute, executeDocument, gatewaySecret } = options
  const baseUrl = operatorBaseUrlOf(config, internal.port)
  if (baseUrl === null) return null
  const settings = oidcSettingsOf(config, baseUrl, gatewaySecret)
  const oidc = settings && oidcClient(settings)
  const { docsUrl = addressesOf(config).docsUrl } = options
  return createOperatorApp({
    ...{ baseUrl, execute, executeDocument, docsUrl, log },
    sessions: operatorSessions({ execute, keyPrefix: config.KEY_PREFIX, gatewaySecret }),
    oidc,
    signInMethods: oidc ? ['oidc', 'link'] : ['link'],
    files: readOperatorPage(),
    failures: processGroup.minuteLimit('operator', config.OAUTH_LIMITS.failures),
    trustProxy: config.TRUST_PROXY,
    anonymousLimiter: processGroup.windowLimiter('operator'),
    anonymousRps: config.ANONYMOUS_RPS,
  })
}
