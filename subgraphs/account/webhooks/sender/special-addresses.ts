import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { addressMatcher, isAddressRange } from '../../../../schema/vocabulary/ip-allowlist.ts'

/**
 * The IANA IPv4 Special-Purpose Address Registry and multicast. Also what it calls globally
 * reachable (anycast, AS112): no receiver of webhooks is there.
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
 * Of IPv6 only global unicast is public. So loopback, ULA, link-local, multicast and every form
 * that holds an IPv4 address (mapped, compatible, NAT64) are out without being named.
 */
const globalV6 = ['2000::', 3] as const
const specialV6 = [
  ['2001::', 23], // IETF protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, holds an IPv4 address
  ['2620:4f:8000::', 48], // AS112
  ['3fff::', 20], // documentation
] as const

// One list for each family: a list of IPv4 finds mapped addresses (::ffff:127.0.0.1) in itself too.
const special = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const [network, bits] of specialV4) special.ipv4.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of specialV6) special.ipv6.addSubnet(network, bits, 'ipv6')

const global = new BlockList()
global.addSubnet(...globalV6, 'ipv6')

const loopback = { ipv4: new BlockList(), ipv6: new BlockList() }
loopback.ipv4.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.ipv6.addAddress('::1', 'ipv6')

/**
 * Whether it is an IP address of the public internet, and none of this machine's own networks: what is
 * there, behind a firewall that sees only what comes from outside, is not public. Nor is what the
 * operator denied, or what is no IP address, or names a zone. `denied` and `own` are CIDR blocks.
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

/** 127.0.0.0/8 and ::1, as such: not their forms within other addresses. */
export function isLoopbackAddress(address: string): boolean {
  const family = familyOf(address)
  return family !== null && loopback[family].check(address, family)
}

/** Of interfaces that lead nowhere, the address alone: no neighbours are behind its prefix. */
function networksOfThisMachine(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  const networks = all.map(({ address, cidr, internal }) => (internal ? address : cidr) ?? address)
  return networks.filter(isAddressRange)
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  if (isIP(address) === 4) return 'ipv4'
  return isIP(address) === 6 && !address.includes('%') ? 'ipv6' : null
}
