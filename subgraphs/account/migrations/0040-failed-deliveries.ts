import { ConcurrentIndex } from '../../shared/migrating/concurrent-index.ts'

/** The deliveries of an endpoint that failed are few among those that arrived. */
export class FailedDeliveries0040 extends ConcurrentIndex {
  protected readonly table = 'account.webhook_delivery'
  protected readonly index = 'webhook_delivery_failed'
  protected readonly definition = `(endpoint_id, id DESC) WHERE status = 'failed'`
}
