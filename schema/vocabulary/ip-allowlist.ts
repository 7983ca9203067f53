import { BlockList, isIP, SocketAddress } from 'node:net'

/** One address or CIDR block, v4 or v6: `203.0.113.7`, `2001:db8::/32`. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/', 3)
  const version = isIP(address)
  if (version === 0 || address.includes('%') || rest.length > 0) return false
  if (bits === undefined) return true
  return /^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)
}

const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/

/**
 * The canonical spelling of an address: v4 mapped to v6 as v4, v6 in its shortest form. Empty for
 * any other text, also for an address with a zone, a port or brackets.
 */
export function plainAddress(text: string): string {
  const version = isIP(text)
  if (version === 4) return text
  if (version === 0 || text.includes('%')) return ''
  // A v6 socket spells the address of a v4 client so. It is matched first, because building an address object
  // costs much.
  const v4 = mapped.exec(text)?.[1]
  if (v4 !== undefined) return v4
  const { address } = new SocketAddress({ address: text, family: 'ipv6' })
  return mapped.exec(address)?.[1] ?? address
}

/** From this prefix length on, a v6 block can consist of v4 addresses mapped to v6. */
const mappedBits = 96

/**
 * A test of addresses against valid ranges. A v4 address matches in any notation, also mapped to
 * v6. A v6 block that is larger than all of v4 does not contain it.
 */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const lists = { 4: new BlockList(), 6: new BlockList() }
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const isV4 = isIP(address) === 4
    const prefixLength = bits === undefined ? (isV4 ? 32 : 128) : Number(bits)
    const holdsV4 = isIP(plainAddress(address)) === 4 && (isV4 || prefixLength >= mappedBits)
    lists[holdsV4 ? 4 : 6].addSubnet(address, prefixLength, isV4 ? 'ipv4' : 'ipv6')
  }
  return function matches(text) {
    const address = plainAddress(text)
    if (address === '') return false
    return isIP(address) === 4 ? lists[4].check(address, 'ipv4') : lists[6].check(address, 'ipv6')
  }
}
