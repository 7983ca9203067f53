import { Authorized, Query, Resolver } from 'type-graphql'
import { WebhookSummary } from './webhook-summary.type.ts'

@Resolver()
export class WebhookSummaryResolver {
  @Authorized('account')
  @Query(() => WebhookSummary, { description: "How the caller's webhooks are doing." })
  webhookSummary(): WebhookSummary {
    // There are none to register yet.
    return { endpoints: 0, deliveryRate: null }
  }
}
