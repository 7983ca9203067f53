import { z } from 'zod'
import { isAddressRange } from '../../../schema/vocabulary/ip-allowlist.ts'

export const trustProxy = z
  .string()
  .transform((text, context): false | number | readonly string[] => {
    if (text === 'false' || text === '0') return false
    if (/^[1-9]\d?$/.test(text)) return Number(text)
    const ranges = text.split(',').map((range) => range.trim())
    if (ranges.every((range) => isAddressRange(range) && !isTooWide(range))) return ranges
    const message =
      text === 'true'
        ? 'must not be true: then anybody could forge an address; name the hops or CIDR blocks'
        : 'must be false, a number of hops, or a comma-separated list of CIDR blocks'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** The widest networks that one organization has; a few wider ones would hold all addresses. */
const widestPrefixes = { v4: 8, v6: 16, v4InV6: 96 + 8 }

function isTooWide(range: string): boolean {
  const [address = '', prefix] = range.split('/')
  if (prefix === undefined) return false
  const isV4InV6 = address.toLowerCase().startsWith('::ffff:')
  const form = address.includes(':') ? (isV4InV6 ? 'v4InV6' : 'v6') : 'v4'
  return Number(prefix) < widestPrefixes[form]
}
