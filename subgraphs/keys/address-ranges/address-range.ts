import { isIP } from 'node:net'

const mappedBits = 96

/**
 * The one spelling of a valid address range: host bits cleared, v6 as RFC 5952 writes it, v4 mapped to
 * v6 as v4, and a range of one address as that address.
 */
export function canonicalRange(range: string): string {
  const [address = '', prefixLength] = range.split('/')
  const isV4 = isIP(address) === 4
  const bits = prefixLength === undefined ? 128 : Number(prefixLength) + (isV4 ? mappedBits : 0)
  const network = groupsOf(isV4 ? `::ffff:${address}` : address).map((group, index) =>
    leadingBits(group, bits - index * 16),
  )
  const isMapped = bits >= mappedBits && network.slice(0, 6).join() === '0,0,0,0,0,65535'
  const text = isMapped ? toV4(network) : toV6(network)
  return bits === 128 ? text : `${text}/${isMapped ? bits - mappedBits : bits}`
}

/**
 * Whether a valid range lies in another, as `addressMatcher` reads them: v4 in v4, however it is
 * written, and v6 in v6. Several ranges that together hold a larger one do not count as that one.
 */
export function liesWithin(range: string, other: string): boolean {
  const [inside, outside] = [canonicalRange(range), canonicalRange(other)]
  const [address = ''] = inside.split('/')
  const [around = ''] = outside.split('/')
  if (isIP(address) !== isIP(around)) return false
  const bits = bitsOf(outside)
  return bits <= bitsOf(inside) && canonicalRange(`${address}/${bits}`) === outside
}

function bitsOf(range: string): number {
  const [address = '', prefixLength] = range.split('/')
  return Number(prefixLength ?? (isIP(address) === 4 ? 32 : 128))
}

/** The eight groups of a v6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = compressed(address).split('::')
  const before = numbers(head)
  if (tail === undefined) return before
  const after = numbers(tail)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0)
  return [...before, ...zeros, ...after]
}

function numbers(groups: string): number[] {
  return groups === '' ? [] : groups.split(':').map((group) => Number.parseInt(group, 16))
}

/** A URL's host is written as RFC 5952 §4 has it, but for a v4 address inside, which becomes groups too. */
function compressed(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

function leadingBits(group: number, bits: number): number {
  const cleared = Math.min(Math.max(16 - bits, 0), 16)
  return (group >> cleared) << cleared
}

function toV4(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}

function toV6(groups: readonly number[]): string {
  return compressed(groups.map((group) => group.toString(16)).join(':'))
}
