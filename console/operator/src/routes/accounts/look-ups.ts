/** What an account is found by, beside a part of its name; each needs the whole text. */
export const lookUps = {
  mail: { label: 'Mail address', example: 'ada@example.com' },
  key: { label: 'Key prefix', example: 'svc_live_…1a2b' },
  customer: { label: 'External id', example: 'customer-17' },
  account: { label: 'Account id', example: 'acct_…' },
} as const

export type LookUp = keyof typeof lookUps

export function isLookUp(name: string | undefined): name is LookUp {
  return name !== undefined && Object.hasOwn(lookUps, name)
}

/** The look-up that a text looks like; null: it may be a name. */
export function lookUpOf(text: string): LookUp | null {
  if (/^\S+@\S+\.\S+$/.test(text)) return 'mail'
  if (text.startsWith('acct_')) return 'account'
  return /^[a-z0-9]+_(live|test)_/.test(text) ? 'key' : null
}

/** A whole key: what is before its random part, and its last four characters. */
const wholeKey = /^([a-z0-9]+_(?:live|test)_)[0-9A-Za-z]{16,}([0-9A-Za-z]{4})$/

/** The text as the address may have it: of a whole key only what lists show. */
export function shownOf(text: string | undefined): string | undefined {
  return text?.replace(wholeKey, '$1…$2')
}
