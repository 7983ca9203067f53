import {
  type WebhookEventType,
  webhookEvents,
  webhookEventTypes,
  webhookPayloadExample,
  webhookPayloadSchema,
} from '../../schema/vocabulary/webhook-events.ts'
import type { Components } from './components/components.ts'
import { type Json, pascalCase } from './components/json.ts'
import { jsonSchemaOf } from './components/request-schema.ts'

/**
 * The requests to a webhook endpoint of an account, one for each type of event (Standard Webhooks).
 */
export function webhookItems(components: Components): Json {
  return Object.fromEntries(
    webhookEventTypes.map((type) => [type, { post: webhookOperation(type, components) }]),
  )
}

function webhookOperation(type: WebhookEventType, components: Components): Json {
  const { description, version } = webhookEvents[type]
  const name = pascalCase(type)
  return {
    operationId: `on${name}`,
    tags: ['Webhooks'],
    summary: `Sent for \`${type}\``,
    description,
    security: [],
    parameters: signedHeaders.map(([header, about]) =>
      components.add('parameters', pascalCase(header), {
        name: header,
        in: 'header',
        required: true,
        description: about,
        schema: { type: 'string' },
      }),
    ),
    requestBody: {
      description: 'The event, as it was signed.',
      required: true,
      content: {
        'application/json': {
          schema: components.add('schemas', `${name}Event`, {
            description,
            ...jsonSchemaOf(webhookPayloadSchema(type), 'output'),
          }),
          example: webhookPayloadExample(type),
        },
      },
    },
    responses: {
      '2XX': { description: 'It has arrived; the body is not read.' },
      '4XX': { description: 'It has not arrived, and is sent again later.' },
      '5XX': { description: 'It has not arrived, and is sent again later.' },
    },
    'x-event-version': version,
  }
}

/** The headers with which a receiver verifies the body. */
const signedHeaders = [
  ['webhook-id', 'Names the event: the same however often it is sent.'],
  ['webhook-timestamp', 'When this attempt was made, in Unix seconds.'],
  ['webhook-signature', 'Signatures of id, timestamp and body, with spaces between them: `v1,…`.'],
] as const
