import { registerEnumType } from 'type-graphql'

/** The roles of people: `personRoles`. */
export enum PortalRole {
  OWNER = 'OWNER',
  ADMIN = 'ADMIN',
  DEVELOPER = 'DEVELOPER',
  BILLING = 'BILLING',
  VIEWER = 'VIEWER',
}

registerEnumType(PortalRole, {
  name: 'PortalRole',
  description: 'The role of a person in the console.',
  valuesConfig: {
    OWNER: { description: 'All rights.' },
    ADMIN: { description: 'All but payments, approvals of apps, and what concerns an OWNER.' },
    DEVELOPER: {
      description: 'Keys, apps, webhooks and the audit trail; product calls only in the sandbox.',
    },
    BILLING: { description: 'Credits, payments and invoices.' },
    VIEWER: { description: 'Reading alone.' },
  },
})
