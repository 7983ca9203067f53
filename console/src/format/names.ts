import { serviceNames } from '../../../schema/vocabulary/service-names.ts'

/** The parts of the API beside the products, as the log names them. */
const areaNames = {
  ...{ account: 'Account', keys: 'API keys', usage: 'Usage', billing: 'Billing', oauth: 'Sign-in' },
} as const

const names = new Map<string, string>(Object.entries({ ...serviceNames, ...areaNames }))

/** All services of the log, as choices. */
export const services = [...names].map(([value, label]) => ({ value, label }))

/** The name of a service of the log, such as Who Is Searching. */
export function serviceName(slug: string | null): string {
  return slug === null ? 'Other' : (names.get(slug) ?? slug)
}

/** The service of the log that has this name; undefined: none has. */
export function serviceOf(name: string): string | undefined {
  return services.find(({ label }) => label === name)?.value
}

/** The name of a tier or plan: `PROFESSIONAL` is Professional, `pro_sub` is Pro. */
export function tierName(tier: string): string {
  const word = tier.toLowerCase().replace(/_sub$/, '').replaceAll('_', ' ')
  return word.charAt(0).toUpperCase() + word.slice(1)
}

/** Names by ids, as far as the session may read them. */
export type Names = ReadonlyMap<string, string>

/** A key as it is called where it stands among others: "Warehouse …k3f9". */
export function keyLabel({ name, last4 }: { readonly name: string; readonly last4: string }) {
  return `${name} …${last4}`
}

/** What stands for a name that cannot be read: "API key …x7k2m9". */
export function shortName(noun: string, id: string): string {
  return `${noun} …${id.slice(-6)}`
}
