/** The parts of an account, by their name in the address. The first one is shown without a name. */
export const parts = {
  credits: 'Credits',
  keys: 'Keys',
  members: 'Members',
  apps: 'Apps',
  payments: 'Payments',
  plan: 'Subscription',
  budgets: 'Budgets',
  log: 'Log',
  audit: 'Audit trail',
} as const

export type Part = keyof typeof parts

export function isPart(name: string): name is Part {
  return Object.hasOwn(parts, name)
}
