import { startDispatcher, webhookChannel } from '../../../subgraphs/account/index.ts'
import { createWebhookSender } from '../../../subgraphs/account/webhooks/sender/webhook-sender.ts'
import type { Database } from '../../../subgraphs/shared/database/database.ts'
import { webhooksOf } from '../../config/subgraph-settings.ts'
import type { ProcessContext } from '../process/process-context.ts'
import type { NoticeSubscription } from './notice-subscriptions.ts'

interface WebhookOptions {
  /** The view of all accounts, on the connections for webhooks and mails. */
  readonly database: Database
  readonly gatewaySecret: string
}

const maxResponseBytes = 64 * 1024

/**
 * Delivers events as long as the process runs. Several processes may deliver at the same time. New
 * events are noticed at once if the returned subscription is opened, otherwise a little later.
 */
export function startWebhooks(
  { config, metrics, log, resources }: ProcessContext,
  { database, gatewaySecret }: WebhookOptions,
): Omit<NoticeSubscription, 'url'> {
  const warn = (message: string, cause: unknown) => log.warn({ err: cause }, message)
  const timeoutMs = config.WEBHOOK_TIMEOUT_MS
  const sender = createWebhookSender({ ...webhooksOf(config), timeoutMs, maxResponseBytes })
  resources.defer(() => sender.close())
  const dispatcher = startDispatcher({
    ...{ database, gatewaySecret, sender, timeoutMs, warn },
    retrySeconds: config.WEBHOOK_RETRY_SECONDS,
    noteAttempt: (outcome) => metrics.webhookAttempts.inc({ outcome }),
  })
  resources.defer(() => dispatcher.stop())
  const wake = () => dispatcher.wake()
  return { channels: { [webhookChannel]: wake }, onGap: wake }
}
