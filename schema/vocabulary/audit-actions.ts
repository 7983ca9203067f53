/** What an action of the audit trail is called: who did it `past`, or could not `verb`, its `object`. */
export interface AuditAction {
  readonly past: string
  readonly verb: string
  /** Followed by the name of the object, where it has one. */
  readonly object: string
}

const action = (past: string, verb: string, object: string): AuditAction => ({ past, verb, object })

/**
 * What somebody did to an object, or could not do, in words that follow the name of who it was: "created the key",
 * "could not create the key". Null for an action without words. Who was refused access was refused it, whatever the
 * result says.
 */
export function deedOf(action: string, result: string): Omit<AuditAction, 'verb'> | null {
  const known = Object.hasOwn(auditActions, action) ? auditActions[action] : undefined
  if (!known) return null
  const { past, verb, object } = known
  const isDone = result === 'succeeded' || refusals.has(action)
  return { past: isDone ? past : `could not ${verb}`, object }
}

/** Actions that are nothing but a refusal. */
const refusals: ReadonlySet<string> = new Set(['access.deny'])

/** Every action that the audit trail may have, in the order of their nouns. */
export const auditActions: Readonly<Record<string, AuditAction>> = {
  'access.deny': action('was refused', 'be refused', 'access'),
  'account.create': action('opened', 'open', 'the account'),
  'account.looked_at': action('looked at', 'look at', 'this account'),
  'account.update': action('changed', 'change', 'the account'),
  'addon.cancel': action('canceled', 'cancel', 'the add-on'),
  'addon.end': action('ended', 'end', 'the add-on'),
  'addon.renew': action('renewed', 'renew', 'the add-on'),
  'addon.turn': action('settled', 'settle', 'the period of the add-on'),
  'agents.update': action('changed', 'change', 'what agents may do'),
  'allowance.take_back': action('took back', 'take back', 'an allowance'),
  'app_host.allow': action('allowed', 'allow', 'the apps of the host'),
  'app_host.deny': action('denied', 'deny', 'the apps of the host'),
  'audit_export.create': action('started', 'start', 'an export'),
  'audit_export.repeat': action('repeated', 'repeat', 'an export'),
  'auto_recharge.postpone': action('postponed', 'postpone', 'auto-recharge'),
  'auto_recharge.start': action('started', 'start', 'a recharge'),
  'auto_recharge.suspend': action('suspended', 'suspend', 'auto-recharge'),
  'auto_recharge.update': action('changed', 'change', 'auto-recharge'),
  'balance.watch': action('checked', 'check', 'the balance'),
  'billing_details.update': action('changed', 'change', 'the billing details'),
  'budget.change': action('changed', 'change', 'the budgets of the account'),
  'checkout.create': action('started', 'start', 'a payment'),
  'consent.deny': action('denied', 'deny', 'access to the app'),
  'consent.grant': action('gave access to', 'give access to', 'the app'),
  'consent.update': action('changed', 'change', 'the budget of the app'),
  'consent.withdraw': action('withdrew', 'withdraw', 'the access of the app'),
  'credits.adjust': action('adjusted', 'adjust', 'the credits'),
  'credits.grant': action('granted', 'grant', 'credits'),
  'credits.refund': action('refunded', 'refund', 'the credits of a call'),
  'external_id.update': action('changed', 'change', 'the budgets of the customer'),
  'internal_token.mint': action('made', 'make', 'a token of an internal tool'),
  'internal_token.revoke': action('revoked', 'revoke', 'a token of an internal tool'),
  'job.retry': action('retried', 'retry', 'jobs'),
  'key.create': action('created', 'create', 'the key'),
  'key.reset_budget': action('reset', 'reset', 'a budget of the key'),
  'key.revoke': action('revoked', 'revoke', 'the key'),
  'key.rotate': action('rotated', 'rotate', 'the key'),
  'key.undo_disable': action('enabled', 'enable', 'the key'),
  'key.update': action('changed', 'change', 'the key'),
  'keyword.create': action('added', 'add', 'a tracked keyword'),
  'keyword.delete': action('removed', 'remove', 'a tracked keyword'),
  'member.ask_for_address': action('asked to change', 'ask to change', 'the address of the member'),
  'member.confirm_address': action('confirmed', 'confirm', 'the address of the member'),
  'member.invite': action('invited', 'invite', 'the member'),
  'member.join': action('joined', 'join', 'the account'),
  'member.remove': action('removed', 'remove', 'the member'),
  'member.rename': action('renamed', 'rename', 'the member'),
  'member.resend': action('resent', 'resend', 'the invitation of'),
  'member.update': action('changed', 'change', 'the role of the member'),
  'notifications.confirm': action('confirmed', 'confirm', 'an e-mail address'),
  'notifications.unsubscribe': action('unsubscribed', 'unsubscribe', 'an e-mail address'),
  'notifications.update': action('changed', 'change', 'the notifications'),
  'oauth.code_replay': action('reused', 'reuse', 'a code of an app'),
  'oauth.refresh_reuse': action('reused', 'reuse', 'a refresh token'),
  'oauth.revoke_token': action('revoked', 'revoke', 'a token'),
  'oauth_app.create': action('registered', 'register', 'the app'),
  'oauth_app.rotate': action('rotated', 'rotate', 'the secret of the app'),
  'oauth_app.suspend': action('suspended', 'suspend', 'the app'),
  'oauth_app.update': action('changed', 'change', 'the app'),
  'operator.end': action('ended', 'end', 'the sessions of the operator'),
  'operator.lose_role': action('lost', 'lose', 'the role of an operator'),
  'operator.sign_in': action('signed in to', 'sign in to', 'the page of operators'),
  'operator.sign_out': action('signed out of', 'sign out of', 'the page of operators'),
  'operator.step_up': action('confirmed', 'confirm', 'a sign-in to the page of operators'),
  'operator.update': action('changed', 'change', 'the role of the operator'),
  'operator_link.create': action('made', 'make', 'a sign-in link for the operator'),
  'passkey.add': action('added', 'add', 'a passkey'),
  'passkey.disable': action('disabled', 'disable', 'a passkey that may have been copied'),
  'passkey.remove': action('removed', 'remove', 'a passkey'),
  'passkey.removal_begin': action(
    'asked to remove',
    'ask to remove',
    'a passkey without using one',
  ),
  'passkey.removal_cancel': action(
    'stopped',
    'stop',
    'a removal of passkeys by using or adding one',
  ),
  'passkey.reset': action('removed', 'remove', 'all passkeys of the member'),
  'passkey.reset_begin': action(
    'announced',
    'announce',
    'the removal of all passkeys of the member',
  ),
  'payment.collect': action('collected', 'collect', 'a payment'),
  'payment.refund': action('refunded', 'refund', 'a payment'),
  'payment_block.lift': action('lifted', 'lift', 'the block of payments'),
  'payment_dispute.change': action('changed', 'change', 'a dispute'),
  'payment_method.default': action('chose', 'choose', 'the card that pays'),
  'payment_method.delete': action('removed', 'remove', 'a card'),
  'payment_notification.unmatched': action('received', 'receive', 'an unknown payment notice'),
  'payment_refund.confirm': action('confirmed', 'confirm', 'a refund'),
  'payment_refund.fail': action('reported', 'report', 'a failed refund'),
  'portal_link.create': action('made', 'make', 'a sign-in link'),
  'portal_link.use': action('used', 'use', 'a sign-in link'),
  'sandbox.reset': action('reset', 'reset', 'the sandbox'),
  'session.end': action('ended', 'end', 'a session'),
  'session.end_all': action('ended', 'end', 'all sessions'),
  'session.end_others': action('ended', 'end', 'all other sessions'),
  'session.hand_over': action(
    'opened the other environment in',
    'open the other environment in',
    'the same browser',
  ),
  'session.open': action('signed in to', 'sign in to', 'the console'),
  'session.step_up': action('confirmed', 'confirm', 'a sign-in'),
  'signing_key.revoke': action('revoked', 'revoke', 'a signing key'),
  'signing_key.rotate': action('rotated', 'rotate', 'a signing key'),
  'sign_in.update': action('changed', 'change', 'how members sign in'),
  'subscription.cancel': action('canceled', 'cancel', 'the plan'),
  'subscription.change': action('changed', 'change', 'the plan'),
  'subscription.end': action('ended', 'end', 'the plan'),
  'subscription.preview': action('looked at', 'look at', 'the price of a plan'),
  'subscription.renew': action('renewed', 'renew', 'the plan'),
  'subscription.resume': action('resumed', 'resume', 'the plan'),
  'subscription.turn': action('settled', 'settle', 'the period of the plan'),
  'webhook.create': action('added', 'add', 'the webhook endpoint'),
  'webhook.delete': action('deleted', 'delete', 'the webhook endpoint'),
  'webhook.disable': action('disabled', 'disable', 'the webhook endpoint'),
  'webhook.resend': action('resent', 'resend', 'events of the webhook endpoint'),
  'webhook.rotate': action('rotated', 'rotate', 'the secret of the webhook endpoint'),
  'webhook.test': action('tested', 'test', 'the webhook endpoint'),
  'webhook.update': action('changed', 'change', 'the webhook endpoint'),
}
