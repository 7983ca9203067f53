import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { addressMatcher, isAddressRange } from '../../../schema/vocabulary/ip-allowlist.ts'

/**
 * The IANA IPv4 Special-Purpose Address Registry and multicast. Entries that the registry calls
 * globally reachable (anycast, AS112) are refused too: no receiver of webhooks has such an address.
 */
const specialV4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // not in the registry: the host beneath a machine at Azure
  ['169.254.0.0', 16], // link-local, metadata of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // IETF protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.31.196.0', 24], // AS112
  ['192.52.193.0', 24], // AMT
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['192.175.48.0', 24], // AS112
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const

/**
 * Only global unicast is public in IPv6. So loopback, ULA, link-local, multicast and every form
 * that contains an IPv4 address (mapped, compatible, NAT64) are refused without an entry.
 */
const globalV6 = ['2000::', 3] as const
const specialV6 = [
  ['2001::', 23], // IETF protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, holds an IPv4 address
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const

// There is one list for each family, because an IPv4 list also matches mapped addresses
// (::ffff:127.0.0.1).
const special = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [network, bits] of specialV4) special.ipv4.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of specialV6) special.ipv6.addSubnet(network, bits, 'ipv6')

const global = new BlockList()
global.addSubnet(...globalV6, 'ipv6')

const loopback = { ipv4: new BlockList(), ipv6: new BlockList() }
loopback.ipv4.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.ipv6.addAddress('::1', 'ipv6')

/**
 * Whether the text is a public IP address. Addresses in this machine's own networks are not public,
 * because a firewall may filter only traffic from outside. Denied addresses, texts that are no IP
 * address and addresses with a zone are not public either. `denied` and `own` are CIDR blocks.
 */
export function isPublicAddress(
  address: string,
  denied: readonly string[] = [],
  own: readonly string[] = networksOfThisMachine(),
): boolean {
  const family = familyOf(address)
  if (family === null || special[family].check(address, family)) return false
  if (family === 'ipv6' && !global.check(address, family)) return false
  return !addressMatcher([...denied, ...own])(address)
}

/** Matches 127.0.0.0/8 and ::1, but not IPv6 forms that contain such an address. */
export function isLoopbackAddress(address: string): boolean {
  const family = familyOf(address)
  return family !== null && loopback[family].check(address, family)
}

/** An internal interface contributes its address alone, because it has no neighbours. */
function networksOfThisMachine(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  const networks = all.map(({ address, cidr, internal }) => (internal ? address : cidr) ?? address)
  return networks.filter(isAddressRange)
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  if (isIP(address) === 4) return 'ipv4'
  return isIP(address) === 6 && !address.includes('%') ? 'ipv6' : null
}
