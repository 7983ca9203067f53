import type { Member } from 'credit-gateway-sdk'

export type Role = Member['role']

/** The roles and what they permit. */
export const roles: readonly { readonly value: Role; readonly permits: string }[] = [
  { value: 'OWNER', permits: 'Everything.' },
  { value: 'ADMIN', permits: 'Everything but payments, approving apps, and changing OWNERs.' },
  { value: 'DEVELOPER', permits: 'Keys, apps, webhooks and the audit trail.' },
  { value: 'BILLING', permits: 'Credits, payments and invoices.' },
  { value: 'VIEWER', permits: 'Reading only.' },
]
