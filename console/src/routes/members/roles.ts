import type { Member } from 'credit-gateway-sdk'

export type Role = Member['role']

/** The roles and what they permit, for a select. */
const roles: readonly { readonly value: Role; readonly label: string }[] = [
  { value: 'OWNER', label: 'OWNER: everything' },
  { value: 'ADMIN', label: 'ADMIN: everything but payments, approvals of apps and OWNERs' },
  { value: 'DEVELOPER', label: 'DEVELOPER: keys, apps, webhooks and the audit trail' },
  { value: 'BILLING', label: 'BILLING: credits, payments and invoices' },
  { value: 'VIEWER', label: 'VIEWER: reading alone' },
]

/** The roles that a person with this one may give. */
export function givable(by: string | null) {
  return by === 'OWNER' ? [...roles] : roles.filter(({ value }) => value !== 'OWNER')
}
