import { account, startDispatcher, webhookChannel } from '../../../subgraphs/account/index.ts'
import { createWebhookSender } from '../../../subgraphs/account/webhooks/sender/webhook-sender.ts'
import { openDatabase } from '../../../subgraphs/shared/database/database.ts'
import { everyone } from '../../../subgraphs/shared/database/tenant.ts'
import { webhooksOf } from '../../config/subgraph-settings.ts'
import type { OpenStore } from '../databases/store.ts'
import type { ProcessContext } from '../process/process-context.ts'
import type { Ear } from './ears.ts'

/** Deliveries have connections of their own, so that no request waits for them. */
const poolSize = 2

const maxResponseBytes = 64 * 1024

/**
 * Delivers events as long as the process runs. Several processes may deliver at the same time. New
 * events are noticed at once where the returned ear is opened, and otherwise a little later.
 */
export async function startWebhooks(context: ProcessContext, store: OpenStore): Promise<Ear> {
  const { config, metrics, log, resources } = context
  const url = store.databases.get(account.name)?.serviceUrl ?? ''
  const warn = (message: string, cause?: unknown) => log.warn({ err: cause }, message)
  const database = await openDatabase({ ...account, entities: [] }, { url, poolSize, warn })
  resources.defer(() => database.close())
  const timeoutMs = config.WEBHOOK_TIMEOUT_MS
  const sender = createWebhookSender({ ...webhooksOf(config), timeoutMs, maxResponseBytes })
  resources.defer(() => sender.close())
  const dispatcher = startDispatcher({
    database: database.as(everyone),
    gatewaySecret: store.gatewaySecret,
    ...{ sender, timeoutMs, warn },
    retrySeconds: config.WEBHOOK_RETRY_SECONDS,
    disableAfterHours: config.WEBHOOK_DISABLE_AFTER_HOURS,
    noteAttempt: (outcome) => metrics.webhookAttempts.inc({ outcome }),
  })
  resources.defer(() => dispatcher.stop())
  const wake = () => dispatcher.wake()
  return { url, channels: { [webhookChannel]: wake }, onGap: wake }
}
