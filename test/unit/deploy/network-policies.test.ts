import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { endpointUrlProblem } from '../../../subgraphs/shared/outgoing/endpoint-url.ts'
import { isPublicAddress } from '../../../subgraphs/shared/outgoing/special-addresses.ts'

const peer = z.object({
  ipBlock: z.object({ cidr: z.string(), except: z.array(z.string()).default([]) }).optional(),
  podSelector: z.object({ matchLabels: z.record(z.string(), z.string()) }).optional(),
  namespaceSelector: z.object({ matchLabels: z.record(z.string(), z.string()) }).optional(),
})
const rule = z.object({
  to: z.array(peer).nonempty(),
  ports: z
    .array(
      z.object({
        protocol: z.string(),
        port: z.union([z.number(), z.string()]),
        endPort: z.number().optional(),
      }),
    )
    .nonempty(),
})
const policy = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    podSelector: z.object({
      matchLabels: z.record(z.string(), z.string()).default({}),
      matchExpressions: z
        .array(z.object({ key: z.string(), values: z.array(z.string()).default([]) }))
        .default([]),
    }),
    policyTypes: z.array(z.string()),
    egress: z.array(rule).default([]),
  }),
})

const text = readFileSync(join(projectRoot, 'deploy/base/network-policies.yaml'), 'utf8')
const policies = parseAllDocuments(text).map((document) => policy.parse(document.toJS()))
const component = 'app.kubernetes.io/component'
const outgoing = policies.filter(({ spec }) => spec.policyTypes.includes('Egress'))

/** The roles that a policy is for. */
function rolesOf({ spec }: z.infer<typeof policy>): readonly string[] {
  const { matchLabels, matchExpressions } = spec.podSelector
  const listed = matchExpressions.filter(({ key }) => key === component)
  return [matchLabels[component] ?? [], listed.map(({ values }) => values)].flat(2)
}

test('Outgoing connections are limited for the roles that call addresses of others', () => {
  expect([...new Set(outgoing.flatMap(rolesOf))].sort()).toEqual(['oauth', 'worker'])
})

function isWithin(address: string, cidr: string): boolean {
  const [network = '', bits] = cidr.split('/')
  const family = isIP(network) === 4 ? 'ipv4' : 'ipv6'
  if (isIP(address) !== isIP(network)) return false
  const list = new BlockList()
  list.addSubnet(network, Number(bits), family)
  return list.check(address, family)
}

describe.each([
  ['worker', 'facade', ['TCP live', 'TCP sandbox']],
  ['oauth', 'account', ['TCP internal']],
])("%s's egress", (role, asked, askedPorts) => {
  /** The role may call the addresses of all these rules. */
  const rules = outgoing
    .filter((one) => rolesOf(one).includes(role))
    .flatMap(({ spec }) => spec.egress)

  /** Whether it reaches an address outside of the cluster, by TCP. */
  function reaches(address: string, port: number): boolean {
    return rules.some(
      ({ to, ports }) =>
        to.some(
          ({ ipBlock }) =>
            ipBlock !== undefined &&
            isWithin(address, ipBlock.cidr) &&
            !ipBlock.except.some((cidr) => isWithin(address, cidr)),
        ) &&
        ports.some(
          ({ protocol, port: first, endPort }) =>
            protocol === 'TCP' && port >= Number(first) && port <= (endPort ?? Number(first)),
        ),
    )
  }

  test.each([
    ['10.1.2.3', 443],
    ['172.16.0.1', 443],
    ['172.31.255.254', 8443],
    ['192.168.1.1', 443],
    ['169.254.169.254', 80],
    ['169.254.169.254', 443],
    ['100.64.0.1', 443],
    ['127.0.0.1', 4000],
    ['fc00::1', 443],
    ['fd00:ec2::254', 443],
    ['fe80::1', 443],
    ['::1', 443],
    ['::ffff:10.0.0.1', 443],
    ['64:ff9b::a00:1', 443],
    ['2002:a00:1::', 443],
  ])('does not reach %s:%i', (address, port) => {
    expect(reaches(address, port)).toBe(false)
  })

  test.each([
    ['93.184.216.34', 443],
    ['93.184.216.34', 8443],
    ['2606:4700::1111', 443],
  ])('reaches %s:%i, where receivers of webhooks and documents may be', (address, port) => {
    expect(reaches(address, port)).toBe(true)
  })

  test.each([22, 25, 80, 445])('reaches port %i on no address', (port) => {
    expect(reaches('93.184.216.34', port)).toBe(false)
    expect(reaches('10.0.0.1', port)).toBe(false)
  })

  test('reaches every address that the gateway itself may send to, and none that it refuses', () => {
    const firstV4 = Array.from({ length: 256 }, (_, first) => `${first}.64.0.9`)
    const second = Array.from({ length: 256 }, (_, part) => [
      ...[`100.${part}.0.9`, `169.${part}.0.9`, `172.${part}.0.9`, `192.${part}.0.9`],
      ...[`198.${part}.0.9`, `203.${part}.113.9`, `192.0.${part}.9`, `192.88.${part}.9`],
    ]).flat()
    const v6 = Array.from({ length: 256 }, (_, part) => [
      ...[`${(part << 8).toString(16)}::9`, `20${part.toString(16).padStart(2, '0')}::9`],
      `2001:${part.toString(16)}::9`,
    ]).flat()
    const addresses = [...firstV4, ...second, ...v6]

    const different = addresses.filter(
      (address) => reaches(address, 443) !== isPublicAddress(address, [], []),
    )

    expect(addresses.filter((address) => reaches(address, 443)).length).toBeGreaterThan(500)
    expect(different).toEqual([])
    const strict = { allowsLoopback: false }
    for (const port of [443, 1024, 8443, 65_535]) {
      expect(endpointUrlProblem(`https://example.com:${port}/`, strict)).toBe(null)
      expect(reaches('93.184.216.34', port)).toBe(true)
    }
  })

  test('reaches databases in private networks on their own ports only', () => {
    for (const address of ['10.0.0.5', '172.20.0.5', '192.168.0.5']) {
      expect([5432, 6379, 443, 4000, 8080].map((port) => reaches(address, port))).toEqual([
        ...[true, true],
        ...[false, false, false],
      ])
    }
    expect(reaches('169.254.169.254', 5432)).toBe(false)
  })

  test('reaches its DNS and the role that it asks in the cluster, and nothing else', () => {
    const inside = rules.flatMap(({ to, ports }) =>
      to
        .filter(({ ipBlock }) => ipBlock === undefined)
        .map(({ podSelector, namespaceSelector }) => ({
          pods: podSelector?.matchLabels,
          namespace: namespaceSelector?.matchLabels,
          ports: ports.map(({ protocol, port }) => `${protocol} ${port}`),
        })),
    )

    expect(inside).toEqual([
      {
        pods: { 'k8s-app': 'kube-dns' },
        namespace: { 'kubernetes.io/metadata.name': 'kube-system' },
        ports: ['UDP 53', 'TCP 53'],
      },
      { pods: { [component]: asked }, namespace: undefined, ports: askedPorts },
    ])
  })
})
