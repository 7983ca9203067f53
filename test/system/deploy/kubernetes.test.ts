import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { readConfig } from '../../../gateway/config/config.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { knownVariables } from './known-variables.ts'

const labels = z.record(z.string(), z.string())
const container = z.looseObject({
  image: z.string(),
  args: z.array(z.string()).default([]),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  envFrom: z
    .array(
      z.object({
        configMapRef: z.object({ name: z.string(), optional: z.boolean().default(false) }),
      }),
    )
    .default([]),
  ports: z.array(z.looseObject({ name: z.string(), containerPort: z.number() })).default([]),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
})
const template = z.object({
  metadata: z.object({ labels }),
  spec: z.looseObject({
    containers: z.tuple([container]),
    volumes: z.array(z.looseObject({ name: z.string() })),
  }),
})
const named = z.object({ name: z.string(), namespace: z.string().optional() })
const workload = z.looseObject({
  kind: z.enum(['Deployment', 'Job']),
  metadata: named,
  spec: z.looseObject({ template }),
})
const selecting = z.looseObject({
  kind: z.string(),
  metadata: named,
  spec: z.looseObject({ selector: z.unknown() }),
})
const anything = z.looseObject({ kind: z.string(), metadata: named })
const configMap = z.object({ metadata: named, data: labels.default({}) })

type Workload = z.infer<typeof workload>

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0
if (!hasKubectl) process.stdout.write('skipped: kubectl is not on PATH\n')

function render(overlay: string): unknown[] {
  const folder = join(projectRoot, 'deploy/overlays', overlay)
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return parseAllDocuments(stdout).map((document): unknown => document.toJS())
}

describe('deploy/base', () => {
  test('has no optional secret, least of all the secret of payments', () => {
    const folder = join(projectRoot, 'deploy/base')
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    const mounted = texts.join('\n').match(/secret: \{ secretName: .*\}/g) ?? []

    expect(mounted.filter((line) => line.includes('gateway-payments'))).toHaveLength(2)
    expect(mounted.filter((line) => line.includes('optional'))).toEqual([])
  })
})

describe.runIf(hasKubectl).each(['staging', 'production'])('deploy/overlays/%s', (overlay) => {
  let documents: unknown[]
  let workloads: Workload[]
  beforeAll(() => {
    documents = render(overlay)
    workloads = documents.flatMap((document) => workload.safeParse(document).data ?? [])
  })

  const ofKind = (kind: string) =>
    documents
      .map((document) => anything.parse(document))
      .filter((document) => document.kind === kind)
  const nameOf = ({ metadata: { name } }: Workload) => name
  /** The workloads that stay and are watched; the command line sleeps until it is wanted. */
  const roles = () =>
    workloads.filter((item) => item.kind === 'Deployment' && nameOf(item) !== 'command')

  test('has a workload for every role, the migration and the command line', () => {
    expect(workloads.map(nameOf).sort()).toEqual(
      [
        ...['account', 'command', 'facade', 'keys', 'migrate'],
        ...['oauth', 'supergraph', 'usage', 'worker'],
      ].sort(),
    )
    for (const item of roles()) {
      expect(item.spec.template.spec.containers[0].args).toEqual(['start', nameOf(item)])
    }
    expect(ofKind('Secret')).toEqual([])
  })

  test('puts everything into one namespace, which refuses containers that may be root', () => {
    const [namespace] = ofKind('Namespace')
    const elsewhere = documents
      .map((document) => anything.parse(document))
      .filter(({ kind, metadata }) => {
        return kind !== 'Namespace' && metadata.namespace !== namespace?.metadata.name
      })

    expect(namespace).toMatchObject({
      metadata: expect.objectContaining({ name: expect.any(String) }),
    })
    expect(elsewhere).toEqual([])
  })

  test('has no container with root, a writable root file system or unlimited resources', () => {
    for (const item of workloads) {
      const { spec } = item.spec.template
      expect(spec, nameOf(item)).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(spec.containers[0], nameOf(item)).toMatchObject({
        image: expect.stringMatching(/^[\w./-]+:(?!latest)[\w.-]+$/),
        resources: {
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { cpu: expect.any(String), memory: expect.any(String) },
        },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      })
    }
  })

  test('probes every role, and gives it time to drain', () => {
    const { data } = configMap.parse(ofKind('ConfigMap').find(isSettings))
    const drainSeconds = Number(data.DRAIN_TIMEOUT_SECONDS)
    const probe = (path: string) => ({ httpGet: { path, port: 'internal' } })

    expect(drainSeconds).toBeGreaterThan(0)
    for (const item of roles()) {
      const { spec } = item.spec.template
      expect(spec.containers[0], nameOf(item)).toMatchObject({
        startupProbe: probe('/live'),
        livenessProbe: probe('/live'),
        readinessProbe: probe('/ready'),
        lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
        ports: expect.arrayContaining([expect.objectContaining({ name: 'internal' })]),
      })
      const flushSeconds = 3
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(5 + drainSeconds + flushSeconds)
    }
  })

  const isSettings = ({ metadata: { name } }: z.infer<typeof anything>) =>
    /^gateway-\w{10}$/.test(name)

  /** The variables of a container, with a value for each secret file. */
  function variablesOf({
    spec: {
      template: { spec },
    },
  }: Workload): Map<string, string> {
    const [{ env, envFrom }] = spec.containers
    const maps = ofKind('ConfigMap').map((map) => configMap.parse(map))
    const fromMaps = envFrom.flatMap(({ configMapRef: { name, optional } }) => {
      const map = maps.find(({ metadata }) => metadata.name === name)
      if (!optional) expect(map, name).toBeDefined()
      return Object.entries(map?.data ?? {})
    })
    return new Map([...fromMaps, ...env.map(({ name, value }): [string, string] => [name, value])])
  }

  /** In place of a file's text, which only the operator has. */
  const samples: Readonly<Record<string, string>> = {
    GATEWAY_SECRET: 'a secret for tests, long enough to pass',
    DATABASE_URL: 'postgres://gateway_app:password@postgres.example.com/gateway',
    MIGRATE_DATABASE_URL: 'postgres://gateway_owner:password@postgres.example.com/gateway',
    REDIS_URL: 'rediss://:password@redis.example.com',
    EXPORT_S3_URL: 's3://key:secret@s3.example.com/exports?region=eu-central-1',
    STRIPE_SECRET_KEY: 'sk_live_secret',
    STRIPE_WEBHOOK_SECRET: 'whsec_secret',
  }

  test('sets only variables that the gateway reads, with values that it accepts', () => {
    const known = knownVariables()
    const modules = loadCatalog().services.map(({ backendModule }) => backendModule)
    for (const item of workloads) {
      const variables = [...variablesOf(item)]
      // The one file whose text is never a variable.
      const others = variables.filter(([name]) => name !== 'CALLER_KEYS_FILE')
      const resolved = others.map(([name, value]) => {
        const secret = name.replace(/_FILE$/, '')
        return secret in samples ? [secret, samples[secret]] : [name, value]
      })

      expect(variables.map(([name]) => name).filter((name) => !known.has(name))).toEqual([])
      const [command, role] = item.spec.template.spec.containers[0].args
      const read = () =>
        readConfig(Object.fromEntries(resolved), modules, command === 'start' ? role : 'command')
      expect(read, nameOf(item)).not.toThrow()
    }
  })

  test('puts every secret file below a mounted volume', () => {
    for (const item of workloads) {
      const [{ volumeMounts }] = item.spec.template.spec.containers
      const volumes = item.spec.template.spec.volumes.map(({ name }) => name)
      expect(volumes).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)))
      for (const [name, value] of variablesOf(item)) {
        if (!name.endsWith('_FILE')) continue
        const mount = volumeMounts.find(({ mountPath }) => value.startsWith(`${mountPath}/`))
        expect(mount, `${nameOf(item)} ${name}`).toBeDefined()
      }
    }
  })

  test('gives only workers and the command line the login for jobs', () => {
    const secretOf = (item: Workload) =>
      z
        .array(
          z.object({ name: z.string(), secret: z.object({ secretName: z.string() }).optional() }),
        )
        .parse(item.spec.template.spec.volumes)
        .find(({ name }) => name === 'database')?.secret?.secretName
    const holders = workloads.filter((item) => secretOf(item) === 'gateway-worker-database')

    expect(holders.map(nameOf).sort()).toEqual(['command', 'worker'])
  })

  test('gives only the migration and the command line the login of the owner', () => {
    const owners = workloads.filter((item) => variablesOf(item).has('MIGRATE_DATABASE_URL_FILE'))

    expect(owners.map(nameOf).sort()).toEqual(['command', 'migrate'])
    const facade = workloads.find((item) => nameOf(item) === 'facade')
    expect(facade && [...variablesOf(facade).keys()]).not.toContain('DATABASE_URL_FILE')
  })

  test('has selectors that match the pods of exactly one workload, with ports that exist there', () => {
    const services = z.object({ spec: z.object({ selector: labels, ports: z.array(servicePort) }) })
    for (const found of ofKind('Service')) {
      const { selector, ports } = services.parse(found).spec
      const [item, ...others] = workloads.filter((one) => matches(selector, one))
      expect([nameOfOrNone(item), others]).toEqual([found.metadata.name, []])
      const names = item?.spec.template.spec.containers[0].ports.map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(ports.map(({ targetPort }) => targetPort)))
    }
    for (const kind of ['Deployment', 'PodDisruptionBudget']) {
      for (const found of ofKind(kind)) {
        const { spec } = selecting.parse(found)
        const { matchLabels } = z.strictObject({ matchLabels: labels }).parse(spec.selector)
        const names = workloads.filter((one) => matches(matchLabels, one)).map(nameOf)
        expect(names, kind).toEqual([found.metadata.name])
      }
    }
  })

  const servicePort = z.looseObject({ targetPort: z.string() })
  const nameOfOrNone = (item: Workload | undefined) => item && nameOf(item)

  function matches(selector: Readonly<Record<string, string>>, item: Workload): boolean {
    const { labels: present } = item.spec.template.metadata
    return Object.entries(selector).every(([name, value]) => present[name] === value)
  }

  test('runs at least two facades, scales them by CPU, and never evicts all of them', () => {
    expect(ofKind('HorizontalPodAutoscaler')).toEqual([
      expect.objectContaining({
        spec: expect.objectContaining({
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'facade' },
          metrics: [
            expect.objectContaining({ resource: expect.objectContaining({ name: 'cpu' }) }),
          ],
        }),
      }),
    ])
    const [scaler] = ofKind('HorizontalPodAutoscaler')
    const bounds = z.object({
      spec: z.looseObject({ minReplicas: z.number(), maxReplicas: z.number() }),
    })
    const { minReplicas, maxReplicas } = bounds.parse(scaler).spec
    expect(minReplicas).toBeGreaterThanOrEqual(2)
    expect(maxReplicas).toBeGreaterThan(minReplicas)
    const facade = workloads.find((item) => nameOf(item) === 'facade')
    // Otherwise every `kubectl apply` would undo what the autoscaler did.
    expect(facade?.spec.replicas).toBeUndefined()
    expect(facade?.spec.template.spec.topologySpreadConstraints).toHaveLength(2)
    expect(ofKind('PodDisruptionBudget').map(({ metadata }) => metadata.name)).toContain('facade')
  })

  test('opens only facades to the outside, and refuses all connections that are not listed', () => {
    const policies = ofKind('NetworkPolicy')
    const backends = [...JSON.stringify(ofKind('Ingress')).matchAll(/"service":\{"name":"(\w+)"/g)]

    expect(policies.map(({ metadata }) => metadata.name).sort()).toEqual([
      'callers-to-subgraphs',
      'clients-to-facade',
      'modules-to-facade',
      'monitoring-to-metrics',
      'nobody',
      'notifications-to-facade',
      'oauth-to-cluster',
      'outgoing-to-data',
      'outgoing-to-internet',
      'tools-to-supergraph',
      'worker-to-cluster',
    ])
    expect(policies.find(({ metadata }) => metadata.name === 'nobody')?.spec).toEqual({
      podSelector: {},
      policyTypes: ['Ingress'],
    })
    expect(backends.map(([, name]) => name)).toEqual(['facade', 'facade'])
  })

  test('has an ingress for the addresses that the gateway publishes', () => {
    const { data } = configMap.parse(ofKind('ConfigMap').find(isSettings))
    const hosts = [data.BASE_URL, data.SANDBOX_BASE_URL].map((url) => new URL(url ?? '').host)
    const [ingress] = ofKind('Ingress')

    expect(ingress?.spec).toMatchObject({
      tls: [{ hosts }],
      rules: hosts.map((host) => ({ host })),
    })
  })
})
