import { z } from 'zod'
import { isId } from './ids.ts'
import { personRoles } from './roles.ts'
import { scopes } from './scopes.ts'

/** The definition of one type of event. */
interface WebhookEvent {
  /** One line for the documentation: when it is sent. */
  readonly description: string
  /**
   * The version of `data`. Members may be added within a version, and receivers ignore unknown
   * members; every other change needs a new version.
   */
  readonly version: number
  /** The schema of `data`. */
  readonly data: z.ZodObject
  /** A complete and valid example of `data`. */
  readonly example: Readonly<Record<string, unknown>>
}

const credits = z.int().meta({ description: 'Credits.' })
const instant = z.iso.datetime().meta({ description: 'ISO 8601, UTC.' })
const id = (description: string) => z.string().meta({ description })

const balance = z.int().meta({ description: 'The balance at that moment, in credits.' })
const failureReason = z.string().meta({ description: 'Why, in a sentence.' })
const paymentId = id('`pay_…`')

const recharge = z.object({
  payment_id: z.nullable(paymentId).meta({ description: '`pay_…`; null where none was tried.' }),
  failure_reason: failureReason,
})

const entitlementStatus = z
  .enum(['active', 'scheduled_to_cancel', 'canceled'])
  .meta({ description: 'Where it stands now.' })

const subscription = z.object({
  tier: z.string().meta({ description: 'Its tier, such as `pro_sub`.' }),
  status: entitlementStatus,
  current_period_start: instant,
  current_period_end: instant,
})

const subscriptionExample = {
  tier: 'pro_sub',
  status: 'active',
  current_period_start: '2026-01-31T09:30:00.000Z',
  current_period_end: '2026-02-28T09:30:00.000Z',
}

const addon = z.object({
  name: z.enum(['mass_mail', 'rank_tracking']).meta({ description: 'The add-on.' }),
  status: entitlementStatus,
  current_period_end: instant,
})

const app = z.object({
  client_id: id('`app_…`'),
  client_name: z
    .string()
    .meta({ description: 'The name that account holders see when they are asked.' }),
})

const role = z.enum(personRoles).meta({ description: 'The role of a member.' })
const member = z.object({
  member_id: id('`mem_…`'),
  email: z.string().meta({ description: 'The mail address.' }),
  role,
})

const keyId = id('`key_…`')
const keyName = z.string().meta({ description: 'The name that its owner gave it.' })
const exportId = id('`exp_…`')
const exportKind = z
  .enum(['activity', 'requests'])
  .meta({ description: 'Which log: the audit trail or the usage log.' })
const endpointId = id('`whe_…`')

const exampleId = (prefix: string) => `${prefix}_01kg8mz2kqe7vtf0pm6n5d3c4b`

const memberExample = {
  member_id: exampleId('mem'),
  email: 'jane@acme.example',
  role: 'DEVELOPER',
}

const invoice = {
  invoice_id: id('`inv_…`'),
  number: z.string().meta({
    description:
      "As it is printed: `<8 characters of the account's own>-<year>-<000001>`; credit notes have `CN-` in front.",
  }),
  total_cents: z.int().meta({ description: 'The amount with tax, in cents.' }),
  currency: z.string().meta({ description: 'The currency, by ISO 4217.' }),
  credits: credits.meta({ description: 'The credits that were bought.' }),
}
const taxCents = z.int().meta({ description: 'The tax that the amount includes, in cents.' })

const invoiceExample = {
  invoice_id: exampleId('inv'),
  number: '4TZ9M0QX-2026-000042',
  total_cents: 9900,
  currency: 'USD',
  credits: 10_000,
}

const dispute = z.object({
  payment_id: paymentId,
  dispute_id: id('`dsp_…`'),
  amount_cents: z.int().meta({ description: 'How much is disputed, in cents.' }),
  currency: z.string().meta({ description: 'The currency, by ISO 4217.' }),
})

const disputeExample = {
  payment_id: exampleId('pay'),
  dispute_id: exampleId('dsp'),
  amount_cents: 9900,
  currency: 'USD',
}

/** Every type of event that webhooks can send, in the order of the documentation. */
export const webhookEvents = {
  'credits.low': {
    description: 'The balance fell below a threshold. Announced again once it was a fifth above.',
    version: 1,
    data: z.object({
      balance,
      threshold_credits: credits.meta({ description: 'The lowest threshold that was crossed.' }),
    }),
    example: { balance: 998, threshold_credits: 1000 },
  },
  'credits.expiring': {
    description:
      'Credits expire in 30 days, and again in 7, if they live longer than that and some are left.',
    version: 1,
    data: z.object({
      lot_id: id('`lot_…`'),
      credits: credits.meta({ description: 'The credits that are left of the lot.' }),
      expires_at: instant.meta({ description: 'When they expire.' }),
    }),
    example: {
      lot_id: exampleId('lot'),
      credits: 1200,
      expires_at: '2026-02-01T09:30:00.000Z',
    },
  },
  'budget.threshold': {
    description:
      'A charge took the use of a budget to 50, 80 or 100 percent: once for each in a window. After the limit is changed, a percentage that the use has not reached yet comes again.',
    version: 1,
    data: z.object({
      key_id: z.nullable(id('The key whose call it was, for a budget of a key: `key_…`')),
      client_id: z.nullable(id('The app, for a budget of a consent: `app_…`')),
      external_id: z.nullable(id('For a budget that keys with this external id share.')),
      period: z
        .enum(['day', 'week', 'month', 'total'])
        .meta({ description: 'The period in which the use is counted.' }),
      threshold_percent: z.int().meta({ description: '50, 80 or 100.' }),
      limit_credits: credits.meta({ description: 'The most credits in each window.' }),
      used_credits: credits.meta({ description: 'The use in the window, after the charge.' }),
      resets_at: z.nullable(instant).meta({ description: 'The end of the window; null: never.' }),
    }),
    example: {
      key_id: 'key_01kg8mz2kqe7vtf0pm6n5d3c4b',
      client_id: null,
      external_id: null,
      period: 'day',
      threshold_percent: 80,
      limit_credits: 500,
      used_credits: 402,
      resets_at: '2026-02-03T00:00:00.000Z',
    },
  },
  'credits.exhausted': {
    description: 'No credits are left.',
    version: 1,
    data: z.object({ balance }),
    example: { balance: 0 },
  },
  'credits.granted': {
    description: 'Credits were added: by a grant, a purchase, an allowance or a refund.',
    version: 1,
    data: z.object({
      ledger_entry_id: id('`led_…`'),
      kind: z
        .enum(['grant', 'purchase', 'allowance', 'refund', 'adjustment', 'reinstatement'])
        .meta({ description: 'Why they were granted.' }),
      credits: credits.meta({ description: 'How many came.' }),
      balance_after: balance,
      expires_at: z
        .nullable(instant)
        .meta({ description: 'When what is left of them ends; null: never.' }),
    }),
    example: {
      ledger_entry_id: exampleId('led'),
      kind: 'purchase',
      credits: 10_000,
      balance_after: 10_250,
      expires_at: null,
    },
  },
  'auto_recharge.succeeded': {
    description: 'Credits were recharged.',
    version: 1,
    data: z.object({ payment_id: paymentId }),
    example: { payment_id: exampleId('pay') },
  },
  'auto_recharge.failed': {
    description: 'Recharging failed; it is tried again later.',
    version: 1,
    data: recharge,
    example: { payment_id: exampleId('pay'), failure_reason: 'The card was declined.' },
  },
  'auto_recharge.suspended': {
    description: 'Recharging failed for good. Set it up again to resume it.',
    version: 1,
    data: recharge,
    example: { payment_id: null, failure_reason: 'The package is not on sale.' },
  },
  'subscription.started': {
    description: 'A subscription was bought, and its first period has begun.',
    version: 1,
    data: subscription,
    example: subscriptionExample,
  },
  'subscription.changed': {
    description: 'The subscription has another plan from now on.',
    version: 1,
    data: subscription.extend({
      previous_tier: z.string().meta({ description: 'The tier that it had before.' }),
    }),
    example: { ...subscriptionExample, tier: 'business_sub', previous_tier: 'pro_sub' },
  },
  'subscription.change_scheduled': {
    description:
      'The subscription gets another plan with its next period, or keeps its plan after all.',
    version: 1,
    data: subscription.extend({
      next_tier: z
        .nullable(z.string())
        .meta({ description: 'The tier of the next period; null: the tier stays.' }),
    }),
    example: { ...subscriptionExample, tier: 'business_sub', next_tier: 'pro_sub' },
  },
  'subscription.change_failed': {
    description: 'A plan was not paid for, so that nothing has changed.',
    version: 1,
    data: z.object({
      payment_id: paymentId,
      tier: z.string().meta({ description: 'The tier that was asked for.' }),
      failure_reason: failureReason,
    }),
    example: {
      payment_id: exampleId('pay'),
      tier: 'business_sub',
      failure_reason: 'The card was declined.',
    },
  },
  'subscription.cancel_scheduled': {
    description: 'The subscription ends with its period, unless it is resumed.',
    version: 1,
    data: subscription.extend({
      failure_reason: z.nullable(failureReason).meta({
        description:
          'The reason why its period was not paid for; null: the account holder ended it.',
      }),
    }),
    example: { ...subscriptionExample, status: 'scheduled_to_cancel', failure_reason: null },
  },
  'subscription.resumed': {
    description: 'The subscription does not end with its period after all.',
    version: 1,
    data: subscription,
    example: subscriptionExample,
  },
  'subscription.canceled': {
    description: 'The subscription has ended.',
    version: 1,
    data: subscription,
    example: { ...subscriptionExample, status: 'canceled' },
  },
  'subscription.renewed': {
    description: 'A new period of the subscription has begun.',
    version: 1,
    data: subscription,
    example: subscriptionExample,
  },
  'addon.cancel_scheduled': {
    description: 'An add-on ends with its period.',
    version: 1,
    data: addon,
    example: {
      name: 'mass_mail',
      status: 'scheduled_to_cancel',
      current_period_end: '2026-02-28T09:30:00.000Z',
    },
  },
  'addon.canceled': {
    description: 'An add-on has ended.',
    version: 1,
    data: addon,
    example: {
      name: 'mass_mail',
      status: 'canceled',
      current_period_end: '2026-02-28T09:30:00.000Z',
    },
  },
  'invoice.created': {
    description: 'An invoice was made out.',
    version: 1,
    data: z.object({
      ...invoice,
      status: z.enum(['paid', 'open']).meta({ description: 'Where it stands.' }),
      tax_cents: taxCents,
    }),
    example: { ...invoiceExample, status: 'paid', tax_cents: 1581 },
  },
  'invoice.paid': {
    description: 'An invoice was paid.',
    version: 1,
    data: z.object(invoice),
    example: invoiceExample,
  },
  'credit_note.created': {
    description: 'A credit note was made out for a refund. Its amounts are positive.',
    version: 1,
    data: z.object({
      ...invoice,
      credits: credits.meta({ description: 'The credits that the refund is for.' }),
      tax_cents: taxCents,
      original_invoice_id: id('The invoice that it corrects: `inv_…`'),
      payment_id: paymentId,
    }),
    example: {
      ...invoiceExample,
      number: 'CN-4TZ9M0QX-2026-000007',
      tax_cents: 1581,
      original_invoice_id: 'inv_01kg8n0c1sf4arx7b2v9wq5tzd',
      payment_id: exampleId('pay'),
    },
  },
  'payment.refunded': {
    description: 'Money of a payment went back to the buyer, and its credits were taken back.',
    version: 1,
    data: z.object({
      payment_id: paymentId,
      refund_id: id('`rfd_…`'),
      amount_cents: z.int().meta({ description: 'The amount of this refund, in cents.' }),
      refunded_cents: z
        .int()
        .meta({ description: 'The amount of all refunds of the payment so far, in cents.' }),
      currency: z.string().meta({ description: 'The currency, by ISO 4217.' }),
      credits: credits.meta({ description: 'Credits to take back for it.' }),
    }),
    example: {
      payment_id: exampleId('pay'),
      refund_id: exampleId('rfd'),
      amount_cents: 4950,
      refunded_cents: 4950,
      currency: 'USD',
      credits: 5000,
    },
  },
  'payment.disputed': {
    description:
      'The bank of the buyer asks for the money of a payment. Recharging is suspended, and the card is barred.',
    version: 1,
    data: dispute,
    example: disputeExample,
  },
  'payment.dispute_closed': {
    description: 'A dispute of a payment is decided.',
    version: 1,
    data: dispute.extend({
      outcome: z
        .enum(['won', 'lost'])
        .meta({ description: 'Won: the money is back, and so are the credits.' }),
    }),
    example: { ...disputeExample, outcome: 'won' },
  },
  'payment.action_required': {
    description:
      'A recharge or a renewal waits until the holder of the card confirms it. Nothing else is tried meanwhile.',
    version: 1,
    data: z.object({
      payment_id: paymentId,
      action_url: z.string().meta({ description: 'Where the holder confirms it.' }),
      expires_at: instant.meta({ description: 'From then on it counts as declined.' }),
    }),
    example: {
      payment_id: exampleId('pay'),
      action_url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3',
      expires_at: '2026-02-01T09:30:00.000Z',
    },
  },
  'key.created': {
    description: 'An API key was issued.',
    version: 1,
    data: z.object({
      key_id: keyId,
      name: keyName,
      prefix: z.string().meta({ description: 'How it begins.' }),
      last4: z.string().meta({ description: 'How it ends.' }),
      scopes: z.array(z.enum(['*', ...scopes])).meta({ description: 'The scopes of the key.' }),
      expires_at: z.nullable(instant),
    }),
    example: {
      key_id: exampleId('key'),
      name: 'Production',
      prefix: 'svc_live_',
      last4: 'x7Qa',
      scopes: ['account:read', 'contacts:read'],
      expires_at: null,
    },
  },
  'key.rotated': {
    description: 'An API key was replaced by another.',
    version: 1,
    data: z.object({
      key_id: id('`key_…`: the one that was replaced.'),
      replaced_by: keyId,
      valid_until: instant.meta({ description: 'From then on the old one is refused.' }),
    }),
    example: {
      key_id: exampleId('key'),
      replaced_by: 'key_01kg8n0c1sf4arx7b2v9wq5tzd',
      valid_until: '2026-02-01T09:30:00.000Z',
    },
  },
  'key.revoked': {
    description: 'An API key was revoked.',
    version: 1,
    data: z.object({ key_id: keyId, name: keyName }),
    example: { key_id: exampleId('key'), name: 'Production' },
  },
  'member.joined': {
    description: 'A person accepted an invitation, and is a member of the account.',
    version: 1,
    data: member,
    example: memberExample,
  },
  'member.role_changed': {
    description: 'A member got another role.',
    version: 1,
    data: member.extend({ previous_role: role }),
    example: { ...memberExample, previous_role: 'VIEWER' },
  },
  'member.removed': {
    description: 'A member was removed, and is signed out everywhere.',
    version: 1,
    data: member,
    example: memberExample,
  },
  'sandbox.reset': {
    description:
      'All sandbox keys were revoked, and another was issued. Sandbox endpoints are told, and live ones too when a live key asked for it, each by an event of its own.',
    version: 1,
    data: z.object({
      key_id: id('`key_…`: the new one.'),
      key_prefix: z.string().meta({ description: 'How it begins.' }),
      key_last4: z.string().meta({ description: 'How it ends.' }),
      keys_revoked: z.int().meta({ description: 'How many were accepted until then.' }),
    }),
    example: {
      key_id: exampleId('key'),
      key_prefix: 'svc_test_',
      key_last4: 'b3Fz',
      keys_revoked: 1,
    },
  },
  'oauth_app.created': {
    description: 'An OAuth app of the account was registered.',
    version: 1,
    data: app.extend({
      application_type: z
        .enum(['web', 'native', 'spa'])
        .meta({ description: 'The place where the app runs.' }),
      scope: z
        .string()
        .meta({ description: 'The scopes that the app may ask for, separated by spaces.' }),
    }),
    example: {
      client_id: exampleId('app'),
      client_name: 'Reporting',
      application_type: 'web',
      scope: 'openid account:read',
    },
  },
  'oauth_app.suspended': {
    description: 'An OAuth app of the account was suspended, with all that was granted to it.',
    version: 1,
    data: app,
    example: { client_id: exampleId('app'), client_name: 'Reporting' },
  },
  'consent.granted': {
    description: 'The account let an OAuth app act for it.',
    version: 1,
    data: app.extend({
      scope: z.string().meta({ description: 'The granted scopes, separated by spaces.' }),
    }),
    example: {
      client_id: exampleId('app'),
      client_name: 'Reporting',
      scope: 'openid account:read',
    },
  },
  'consent.revoked': {
    description:
      'An OAuth app may not act for the account any more. No event is sent for an account that is closed: all its consents end with it.',
    version: 1,
    data: app.extend({
      reason: z.enum(['withdrawn', 'app_suspended', 'app_changed']).meta({
        description:
          'The reason: the account withdrew the consent, the app was suspended, or it got a new redirect host or more scopes, so that it must ask again.',
      }),
    }),
    example: { client_id: exampleId('app'), client_name: 'Reporting', reason: 'withdrawn' },
  },
  'audit_export.completed': {
    description:
      'The result of an audit export can be downloaded: ask for the job to get its link.',
    version: 1,
    data: z
      .object({
        audit_export_id: exportId,
        kind: exportKind,
        row_count: z.int().meta({ description: 'Rows of the CSV.' }),
      })
      .meta({ description: 'Rows of the CSV.' }),
    example: { audit_export_id: exampleId('exp'), kind: 'requests', row_count: 1234 },
  },
  'audit_export.failed': {
    description: 'An audit export failed for good.',
    version: 1,
    data: z.object({ audit_export_id: exportId, kind: exportKind, error: failureReason }),
    example: {
      audit_export_id: exampleId('exp'),
      kind: 'requests',
      error: 'The export could not be written.',
    },
  },
  'webhook_endpoint.disabled': {
    description:
      'An endpoint of the account has failed for days, or answered 410 Gone, and gets nothing any more. Others are told.',
    version: 1,
    data: z.object({
      endpoint_id: endpointId,
      origin: z.string().meta({ description: 'Where it is, without its path.' }),
      failing_since: instant.meta({ description: 'Since then nothing has arrived.' }),
      reason: z
        .enum(['failing', 'gone'])
        .meta({ description: 'It has failed for days, or it answered 410 Gone.' }),
    }),
    example: {
      endpoint_id: exampleId('whe'),
      origin: 'https://example.com',
      failing_since: '2026-01-26T09:30:00.000Z',
      reason: 'failing',
    },
  },
  'webhook.test': {
    description: 'Somebody asked for a test. Only the endpoint that it is for gets it.',
    version: 1,
    data: z.object({ endpoint_id: endpointId }),
    example: { endpoint_id: exampleId('whe') },
  },
} as const satisfies Readonly<Record<string, WebhookEvent>>

export type WebhookEventType = keyof typeof webhookEvents

/** The schema of `data` of this type. */
export type WebhookEventData<Type extends WebhookEventType> = z.infer<
  (typeof webhookEvents)[Type]['data']
>

export function isWebhookEventType(text: string): text is WebhookEventType {
  return Object.hasOwn(webhookEvents, text)
}

/** All types of events. */
export const webhookEventTypes: readonly WebhookEventType[] =
  Object.keys(webhookEvents).filter(isWebhookEventType)

/** The closed JSON Schema of the payload of one type. */
export function webhookPayloadSchema(type: WebhookEventType) {
  return z.strictObject({
    id: z
      .string()
      .refine((text) => isId('evt', text))
      .meta({ description: '`evt_…`: the same however often it is sent.' }),
    type: z.literal(type).meta({ description: 'What happened.' }),
    timestamp: instant.meta({
      description: 'When it happened: ISO 8601, UTC. The name is that of Standard Webhooks.',
    }),
    created_at: instant.meta({ description: 'The same time, under the name of this API.' }),
    account_id: z
      .string()
      .refine((text) => isId('acct', text))
      .meta({ description: '`acct_…`' }),
    data: z
      .strictObject(webhookEvents[type].data.shape)
      .meta({ description: 'The details of the event.' }),
  })
}

/** A complete example payload of this type, for the documentation. */
export function webhookPayloadExample(type: WebhookEventType) {
  return {
    id: exampleId('evt'),
    type,
    timestamp: '2026-01-31T09:30:00.000Z',
    created_at: '2026-01-31T09:30:00.000Z',
    account_id: exampleId('acct'),
    data: webhookEvents[type].example,
  }
}
