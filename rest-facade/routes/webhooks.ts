import { z } from 'zod'
import { webhookEventTypes } from '../../schema/vocabulary/webhook-events.ts'
import { overlapSeconds } from '../http/fields/overlap.ts'
import { idParam, isSpan, pageParams, requiredSpan, shown, spanRule, text } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'

/** A test event goes to its endpoint in any case, so no endpoint subscribes to it. */
const wanted = webhookEventTypes.filter((type) => type !== 'webhook.test')

function isAbsolute(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^\s\\]+$/i.test(url) && URL.canParse(url)
}

const details = {
  /** The account subgraph checks the other rules. */
  url: text(1, 2048)
    .refine((url) => url === '' || isAbsolute(url), 'must be an absolute URL')
    .register(shown, {
      schema: { type: 'string', format: 'uri', minLength: 1, maxLength: 2048 },
      description: 'Where to: https, and a public address.',
    }),
  /** An empty list means all events. */
  events: z
    .array(z.enum(wanted, `must be one of ${wanted.join(', ')}`), 'must be a list of event types')
    .max(50, 'must have at most 50 entries'),
  description: z.nullable(text(1, 200)),
}

const endpointCreate = z.strictObject({
  url: details.url,
  events: details.events.default([]),
  description: details.description.default(null),
})

const endpointChange = z
  .strictObject({
    ...details,
    status: z.enum(['enabled', 'disabled'], 'must be enabled or disabled'),
  })
  .partial()

const secretRotation = z.strictObject({ overlap_seconds: overlapSeconds })

const endpointParams = z.strictObject({ endpoint_id: idParam('whe', 'webhook endpoint') })
const deliveryStatus = z.enum(
  ['pending', 'succeeded', 'failed'],
  'must be pending, succeeded or failed',
)

const eventType = z.enum(webhookEventTypes, `must be one of ${webhookEventTypes.join(', ')}`)

const resentSpan = z
  .strictObject({ ...requiredSpan, status: deliveryStatus.optional() })
  .refine(isSpan, spanRule)

const eventParams = z.strictObject({ event_id: idParam('evt', 'event') })
const deliveryParams = z.strictObject({ delivery_id: idParam('whd', 'delivery') })

export const webhookRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/webhooks',
    summary: 'Webhook endpoints of the account, newest first',
    operation: 'ListWebhookEndpoints',
    isExtension: true,
    scope: 'webhooks:read',
    query: z.strictObject(pageParams),
  }),
  accountRoute({
    method: 'post',
    path: '/account/webhooks',
    summary: 'Create a webhook endpoint; the secret that signs its messages is shown only once',
    operation: 'CreateWebhookEndpoint',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'webhooks:write',
    body: endpointCreate,
    status: 201,
    revealsSecret: true,
  }),
  accountRoute({
    method: 'patch',
    path: '/account/webhooks/:endpoint_id',
    summary: 'Change, enable or disable a webhook endpoint',
    operation: 'ChangeWebhookEndpoint',
    isExtension: true,
    scope: 'webhooks:write',
    params: endpointParams,
    body: endpointChange,
  }),
  accountRoute({
    method: 'delete',
    path: '/account/webhooks/:endpoint_id',
    summary: 'Delete a webhook endpoint, with its unsent messages',
    operation: 'DeleteWebhookEndpoint',
    isExtension: true,
    scope: 'webhooks:write',
    params: endpointParams,
  }),
  accountRoute({
    method: 'post',
    path: '/account/webhooks/:endpoint_id/rotate',
    summary: 'Replace the secret of a webhook endpoint; the new one is shown only once',
    operation: 'RotateWebhookSecret',
    isExtension: true,
    scope: 'webhooks:write',
    params: endpointParams,
    body: secretRotation,
    revealsSecret: true,
  }),
  accountRoute({
    method: 'post',
    path: '/account/webhooks/:endpoint_id/test',
    summary: 'Send a test event to a webhook endpoint',
    operation: 'TestWebhookEndpoint',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'webhooks:write',
    params: endpointParams,
    status: 202,
  }),
  accountRoute({
    method: 'get',
    path: '/account/webhooks/:endpoint_id/deliveries',
    summary: 'Deliveries to a webhook endpoint, past and planned, newest first',
    description:
      'Lists the deliveries to an endpoint with their newest 20 attempts. `response_text` has the first KiB of what the receiver answered, without control characters; it is kept for 7 days and shown to callers with `webhooks:write`.',
    operation: 'ListWebhookDeliveries',
    isExtension: true,
    scope: 'webhooks:read',
    params: endpointParams,
    query: z.strictObject({
      ...pageParams,
      status: deliveryStatus.optional(),
      event_type: eventType.optional(),
    }),
  }),
  accountRoute({
    method: 'get',
    path: '/account/webhooks/:endpoint_id/deliveries/:delivery_id',
    summary: 'One delivery to a webhook endpoint',
    description:
      'Finds a delivery with its newest 20 attempts, as the list shows it: `response_text` needs `webhooks:write`.',
    operation: 'GetWebhookDelivery',
    isExtension: true,
    scope: 'webhooks:read',
    params: endpointParams.extend(deliveryParams.shape),
  }),
  accountRoute({
    method: 'get',
    path: '/account/webhook-events/:event_id',
    summary: 'An event, and its deliveries',
    description:
      'Finds an event by the `webhook-id` of its messages, with its newest 20 deliveries. Events are kept as long as their deliveries, by default 30 days.',
    operation: 'GetWebhookEvent',
    isExtension: true,
    scope: 'webhooks:read',
    params: eventParams,
  }),
  accountRoute({
    method: 'post',
    path: '/account/webhooks/deliveries/:delivery_id/resend',
    summary: 'Send an event to a webhook endpoint again',
    operation: 'ResendWebhookDelivery',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'webhooks:write',
    params: deliveryParams,
    status: 202,
  }),
  accountRoute({
    method: 'post',
    path: '/account/webhooks/:endpoint_id/resend',
    summary: 'Send the events of a span of time to a webhook endpoint again',
    description:
      'Sends again all deliveries that were queued in the span, of the status if one is given; at most 10,000. They are queued again after the answer; until then, another span of the endpoint is a conflict.',
    operation: 'ResendWebhookDeliveries',
    isExtension: true,
    refusals: ['CONFLICT'],
    scope: 'webhooks:write',
    params: endpointParams,
    body: resentSpan,
    status: 202,
  }),
  accountRoute({
    method: 'get',
    path: '/account/webhooks/event-types',
    summary: 'Types of events that webhooks send, with an example of each',
    operation: 'ListWebhookEventTypes',
    isExtension: true,
    scope: 'webhooks:read',
  }),
]
