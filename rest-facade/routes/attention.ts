import { z } from 'zod'
import type { BodyOf } from '../../schema/generated/operations.ts'
import {
  attentionKinds,
  attentionScopes,
  attentionSeverities,
  maxAttentionItems,
  mostUrgent,
} from '../../schema/vocabulary/attention.ts'
import { shown } from '../http/input.ts'
import { accountRoute } from './kinds/account-route.ts'

const attentionItem = z
  .strictObject({
    kind: z.enum(attentionKinds).register(shown, { description: 'What it is.' }),
    severity: z.enum(attentionSeverities).register(shown, {
      description:
        '`critical`: something does not work already; `warning`: something will not work soon.',
    }),
    title: z.string().register(shown, { description: 'A sentence for people.' }),
    resource_id: z.string().nullable().register(shown, {
      description:
        'The key, card, payment, webhook endpoint, app or external id; null: it is about the account.',
    }),
    action: z
      .strictObject({
        label: z.string().register(shown, { description: 'The text of a button.' }),
        url: z.string().nullable().register(shown, {
          description: 'The page of the console for it; null: this gateway has no console.',
        }),
      })
      .register(shown, { description: 'What the account holder can do about it.' }),
  })
  .register(shown, { description: 'Something that needs the attention of the account holder.' })

const attention = z.strictObject({
  items: z
    .array(attentionItem)
    .max(maxAttentionItems)
    .register(shown, { description: 'At most 20, the critical ones first.' }),
})

/** The most urgent items of all subgraphs. */
function inOrder({ account, keys, apps }: BodyOf<'GetAttention'>): z.infer<typeof attention> {
  return { items: mostUrgent([...account, ...keys, ...apps]) }
}

export const attentionRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/attention',
    summary: 'What needs attention now',
    description:
      'Lists what needs attention now: a webhook endpoint that fails, a payment that waits for a confirmation or is disputed, automatic recharging that failed or has no card, few credits, a budget of which 80 % are used, a key that expires within 7 days, a card that expires by the end of next month, an app that the operator has suspended. Each item needs the read scope of its area; what you may not read is left out. Tokens of apps see nothing of billing, keys and credits. The answer is kept for 30 seconds; a change that you make ends it earlier.',
    operation: 'GetAttention',
    isExtension: true,
    // Every key has `openid`. A token of an app that lacks it sees nothing but webhooks and the budget of the account.
    scope: 'openid',
    orScope: 'webhooks:read',
    keeping: { seconds: 30, scopes: attentionScopes },
    shown: inOrder,
    answer: attention,
  }),
]
