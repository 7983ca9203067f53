/** A kind of news that people can get by mail. */
interface KindOfNotification {
  /** One line for the documentation. */
  readonly description: string
  /** The types of events that cause a mail; empty while nothing announces the kind. */
  readonly events: readonly string[]
  /** Somebody has to act soon: each event is a mail of its own, however many an address gets. */
  readonly isUrgent?: boolean
}

/** Every kind of notification, in the order of the documentation. */
export const notificationKinds = {
  credits_low: {
    description: 'Credits are low, or none are left.',
    events: ['credits.low', 'credits.exhausted'],
  },
  recharge_failed: {
    description: 'Automatic recharging failed, or was suspended.',
    events: ['auto_recharge.failed', 'auto_recharge.suspended'],
    isUrgent: true,
  },
  payment_action_required: {
    description: 'A payment needs a confirmation by its payer.',
    events: ['payment.action_required'],
    isUrgent: true,
  },
  payment_refunded: {
    description: 'A payment was refunded.',
    events: ['payment.refunded'],
  },
  payment_disputed: {
    description: 'A payment is disputed, or the dispute has ended.',
    events: ['payment.disputed', 'payment.dispute_closed'],
    isUrgent: true,
  },
  invoice_paid: {
    description: 'An invoice was paid.',
    events: ['invoice.paid'],
  },
  budget_threshold: {
    description: 'A budget has been used to a half, to four fifths, or completely.',
    events: ['budget.threshold'],
  },
  credits_expiring: {
    description: 'Credits are about to expire.',
    events: ['credits.expiring'],
  },
  key_leaked: {
    description: 'An API key was found in public. No event of this kind is sent yet.',
    events: [],
  },
  webhook_disabled: {
    description:
      'A webhook endpoint was disabled, because it had failed for days or answered 410 Gone.',
    events: ['webhook_endpoint.disabled'],
  },
  export_ready: {
    description: 'An audit export was completed, or failed.',
    events: ['audit_export.completed', 'audit_export.failed'],
  },
} as const satisfies Readonly<Record<string, KindOfNotification>>

export type NotificationKindName = keyof typeof notificationKinds

function isKindName(text: string): text is NotificationKindName {
  return Object.hasOwn(notificationKinds, text)
}

/** The names of all kinds. */
export const notificationKindNames: readonly NotificationKindName[] =
  Object.keys(notificationKinds).filter(isKindName)

/** The types of events that any kind of notification tells of. */
export const notifiedEventTypes: readonly string[] = notificationKindNames.flatMap(
  (name): readonly string[] => notificationKinds[name].events,
)

/** The kind of notification that an event of this type causes; null if it causes none. */
export function notificationKindOf(eventType: string): NotificationKindName | null {
  const isOf = (name: NotificationKindName) =>
    notificationKinds[name].events.some((type) => type === eventType)
  return notificationKindNames.find(isOf) ?? null
}

/** Whether each event of the kind is a mail of its own, however many an address gets. */
export function isUrgent(name: NotificationKindName): boolean {
  const kind: KindOfNotification = notificationKinds[name]
  return kind.isUrgent === true
}

/** The most addresses of one account. */
export const maxNotificationEmails = 5
