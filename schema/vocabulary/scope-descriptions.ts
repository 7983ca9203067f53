import { serviceSlugs } from './scopes.ts'
import { serviceNames } from './service-names.ts'

const descriptions: Readonly<Record<string, string>> = {
  openid: 'Know which account this is.',
  profile: 'See the name of the account.',
  email: 'See the email address of the account.',
  offline_access: 'Keep access while nobody is there.',
  'account:read': 'See the account: its name and email address, tier, balance and add-ons.',
  'billing:read': 'See bills, invoices and the ledger.',
  'usage:read': 'See the usage log.',
  'audit:read': 'See the audit trail and its exports.',
  'webhooks:read': 'See the webhooks.',
}

const services = new Map(
  serviceSlugs.flatMap((slug) => [
    [`${slug}:read`, `Read from ${serviceNames[slug]}; this can spend credits.`],
    [`${slug}:write`, `Use ${serviceNames[slug]}; this can spend credits.`],
  ]),
)

/** The description of each scope on the consent page. */
export function describeScope(scope: string): string {
  return descriptions[scope] ?? services.get(scope) ?? scope
}
