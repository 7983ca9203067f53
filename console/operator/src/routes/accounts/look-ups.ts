/** What an account is found by, beside a part of its name; each needs the whole text. */
export const lookUps = {
  mail: { label: 'Mail address', example: 'ada@example.com' },
  key: { label: 'Key prefix', example: 'sk_live_…1a2b' },
  customer: { label: 'External id', example: 'customer-17' },
  account: { label: 'Account id', example: 'acct_…' },
} as const

export type LookUp = keyof typeof lookUps

export function isLookUp(name: string | undefined): name is LookUp {
  return name !== undefined && Object.hasOwn(lookUps, name)
}
