import type { Logger } from 'pino'
import { account, startDispatcher, webhookChannel } from '../../subgraphs/account/index.ts'
import { createWebhookSender } from '../../subgraphs/account/webhooks/sender/webhook-sender.ts'
import { openDatabase } from '../../subgraphs/shared/database/database.ts'
import { listenForNotices } from '../../subgraphs/shared/database/notices.ts'
import { everyone } from '../../subgraphs/shared/database/tenant.ts'
import type { Config } from '../config/config.ts'
import { webhooksOf } from '../config/subgraph-settings.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { OpenStore } from './databases/store.ts'
import type { Cleanups } from './process/cleanups.ts'

interface WebhooksOptions {
  readonly config: Config
  readonly store: OpenStore
  readonly cleanups: Cleanups
  readonly metrics: Metrics
  readonly log: Logger
}

/** Of its own: whoever waits for a connection here keeps no request waiting. */
const poolSize = 4

const maxResponseBytes = 64 * 1024

/** Delivers events, as long as the process runs; any number of processes may. */
export async function startWebhooks(options: WebhooksOptions): Promise<void> {
  const { config, store, cleanups, metrics, log } = options
  const url = store.databases.get(account.name)?.serviceUrl ?? ''
  const warn = (message: string, cause?: unknown) => log.warn({ err: cause }, message)
  const database = await openDatabase({ ...account, entities: [] }, { url, poolSize, warn })
  cleanups.add(() => database.close())
  const timeoutMs = config.WEBHOOK_TIMEOUT_MS
  const sender = createWebhookSender({ ...webhooksOf(config), timeoutMs, maxResponseBytes })
  cleanups.add(() => sender.close())
  const dispatcher = startDispatcher({
    database: database.as(everyone),
    gatewaySecret: store.gatewaySecret,
    ...{ sender, timeoutMs, warn },
    retrySeconds: config.WEBHOOK_RETRY_SECONDS,
    disableAfterHours: config.WEBHOOK_DISABLE_AFTER_HOURS,
    noteAttempt: (outcome) => metrics.webhookAttempts.inc({ outcome }),
  })
  cleanups.add(() => dispatcher.stop())
  const wake = () => dispatcher.wake()
  const notices = listenForNotices({ url, channel: webhookChannel, onNotice: wake, onGap: wake })
  cleanups.add(() => notices.close())
}
