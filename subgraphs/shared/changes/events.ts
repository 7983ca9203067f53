import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import type { Environment } from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type {
  WebhookEventData,
  WebhookEventType,
} from '../../../schema/vocabulary/webhook-events.ts'
import type { Transaction } from '../database/database.ts'
import { enqueueJob, eventJob } from '../jobs/jobs.ts'

/** An event of an account, for the software of its holder. */
export interface NewEvent {
  /** The id of the event, `evt_…`: however often the event is handed on, it happened once. */
  readonly id: string
  readonly accountId: string
  readonly environment: Environment
  readonly type: WebhookEventType
  /** The data of the event, as its receivers see it. */
  readonly data: object
  /** ISO 8601. */
  readonly createdAt: string
  /** Whether people who chose its kind get a mail; by default they do. */
  readonly isMailed?: boolean
}

export function newEvent<Type extends WebhookEventType>(
  { accountId, environment }: AccountScope,
  type: Type,
  data: WebhookEventData<Type>,
): NewEvent {
  const nowMs = Date.now()
  const createdAt = new Date(nowMs).toISOString()
  return { id: newId('evt', nowMs), accountId, environment, type, data, createdAt }
}

/** The most events in one job. */
const maxEvents = 100

/**
 * Publishes events, in the transaction of the change that they report: they leave for the account
 * subgraph as jobs (see `eventJob`), which may be given twice and count once.
 */
export async function announce(tx: Transaction, events: readonly NewEvent[]): Promise<void> {
  for (let first = 0; first < events.length; first += maxEvents) {
    await enqueueJob(tx, eventJob, { events: events.slice(first, first + maxEvents) })
  }
}
