import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, type TestContext, test, vi } from 'vitest'
import { z } from 'zod'
import { startSimulator } from '../../../gateway/trial/simulator/simulator.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { chosen } from '../../support/extent/extent.ts'
import { startTestIssuer } from '../../support/operator/test-issuer.ts'
import { compileProgram, type Finished } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { type StripeStub, startStripeStub } from '../../support/stubs/stripe-stub.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const report = z.strictObject({
  status: z.enum(['fine', 'missing', 'unsafe']),
  findings: z.array(
    z.strictObject({
      level: z.enum(['unsafe', 'wrong', 'missing', 'note', 'ok']),
      about: z.string(),
      message: z.string(),
    }),
  ),
})

let database: TestDatabase
let stripe: StripeStub
let backend: StubBackend
beforeAll(async () => {
  await compileProgram()
  database = await createTestDatabase()
  stripe = await startStripeStub()
  backend = await startStubBackend()
  backend.answer((_, res) => sendBackendJson(res, 200, { status: 'ok' }))
})
afterAll(async () => {
  await stripe.close()
  await backend.close()
  await database.drop()
})

function workplaceOf({ onTestFinished }: TestContext): Workplace {
  const place = openWorkplace()
  onTestFinished(() => place.close())
  return place
}

const modules = loadCatalog().services.map(({ backendModule }) => backendModule)
const nameOf = (module: string) => `BACKEND_${module.toUpperCase().replaceAll('-', '_')}_URL`
const backendsAt = (urlOf: (module: string) => string) =>
  Object.fromEntries(modules.map((module) => [nameOf(module), urlOf(module)]))

/** A gateway for customers, with nothing against it. */
const forCustomers = () => ({
  DATABASE_URL: database.serviceUrl,
  MIGRATE_DATABASE_URL: database.ownerUrl,
  GATEWAY_SECRET: 'a secret for tests, long enough to pass',
  BASE_URL: 'https://api.example.com',
  SANDBOX_BASE_URL: 'https://sandbox.example.com',
  PAYMENTS: 'stripe',
  STRIPE_SECRET_KEY: 'sk_live_hunter2',
  STRIPE_WEBHOOK_SECRET: 'whsec_hunter2',
  STRIPE_API_URL: stripe.url,
  ...backendsAt(() => backend.url),
})

function reportOf({ stdout, stderr }: Finished) {
  expect(stderr).toBe('')
  return report.parse(JSON.parse(stdout))
}

/** `level about`, of what has to be done. */
function problemsOf(finished: Finished): readonly string[] {
  return reportOf(finished)
    .findings.filter(({ level }) => ['unsafe', 'wrong', 'missing'].includes(level))
    .map(({ level, about }) => `${level} ${about}`)
}

/** On a busy machine something may take longer to answer than the doctor waits: then it is run again. */
async function expectProblems(
  place: Workplace,
  variables: Readonly<Record<string, string>>,
  expected: readonly string[],
  role: readonly string[] = [],
): Promise<Finished> {
  return vi.waitFor(async () => {
    const finished = await place.run(['doctor', ...role, '--json'], variables)
    expect(problemsOf(finished).toSorted()).toEqual(expected.toSorted())
    expect(finished.code).toBe(expected.length > 0 ? 1 : 0)
    return finished
  }, patience)
}

describe('gateway doctor', () => {
  test('accepts a trial setup, starts nothing and creates no folder', async (context) => {
    const place = workplaceOf(context)

    const finished = await place.run(['doctor', '--json'])

    expect(finished.code).toBe(0)
    const { status, findings } = reportOf(finished)
    expect(status).toBe('fine')
    expect(findings).toContainEqual({
      level: 'note',
      about: 'PAYMENTS',
      message: 'live payments are simulated, as always when embedded: nobody pays',
    })
    expect(findings).toContainEqual({
      level: 'note',
      about: 'OAUTH_DYNAMIC_REGISTRATION',
      message: 'on: any agent may register itself, and ask people for the tools',
    })
    expect(findings).toContainEqual({
      level: 'note',
      about: 'embedded PostgreSQL',
      message: 'stopped',
    })
    expect(existsSync(place.dataDir)).toBe(false)
    expect(place.postmasters()).toEqual([])
  })

  test('reports a running gateway as ready, and leaves it alone', async (context) => {
    const place = workplaceOf(context)
    const gateway = await place.start()

    await vi.waitFor(async () => {
      // The command runs as from another shell, which does not know the variables of the gateway.
      const finished = await place.run(['doctor', '--json'], { INTERNAL_PORT: '' })
      expect(finished.code).toBe(0)
      const { findings } = reportOf(finished)
      expect(findings).toContainEqual({
        level: 'note',
        about: `gateway at ${gateway.internalUrl}`,
        message: 'runs, and is ready',
      })
      expect(findings).toContainEqual({
        level: 'ok',
        about: 'schema of embedded PostgreSQL, which runs',
        message: 'up to date',
      })
    }, patience)

    expect(gateway.isRunning()).toBe(true)
    await vi.waitUntil(
      async () => (await fetch(`${gateway.internalUrl}/ready`)).status === 200,
      patience,
    )
  })

  test('changes no password and no role', async (context) => {
    const place = workplaceOf(context)
    await place.start()
    const file = join(place.dataDir, 'postgres-passwords.json')
    const passwords = readFileSync(file, 'utf8')
    const roles = () => place.query('SELECT rolname, rolpassword, xmin::text FROM pg_authid')
    const before = await roles()

    await vi.waitFor(async () => {
      const finished = await place.run(['doctor', '--json'])
      expect(finished.code).toBe(0)
      const about = 'schema of embedded PostgreSQL, which runs'
      const finding = { level: 'ok', about, message: 'up to date' }
      expect(reportOf(finished).findings).toContainEqual(finding)
    }, patience)

    expect(readFileSync(file, 'utf8')).toBe(passwords)
    expect(await roles()).toEqual(before)
  })

  test('names a login without the right to run jobs, and the statement that grants it', async (context) => {
    const place = workplaceOf(context)
    const url = new URL(database.serviceUrl)
    const login = `clerk_${randomBytes(6).toString('hex')}`
    await database.query(`CREATE ROLE ${login} LOGIN PASSWORD 'hunter2' IN ROLE gateway_service`)
    context.onTestFinished(async () => void (await database.query(`DROP ROLE ${login}`)))
    url.username = login
    url.password = 'hunter2'
    const variables = { ...forCustomers(), DATABASE_URL: url.href }
    const about = `jobs of ${login} at ${url.host}`

    const finished = await expectProblems(place, variables, [`missing ${about}`])
    const account = await place.run(['doctor', 'account', '--json'], variables)

    expect(reportOf(finished).status).toBe('missing')
    expect(reportOf(finished).findings).toContainEqual({
      level: 'missing',
      about,
      message: `may not become gateway_worker: GRANT gateway_worker TO "${login}"`,
    })
    expect(account.stdout).not.toContain('jobs of')
    await database.query(`GRANT gateway_worker TO ${login}`)
    await expectProblems(place, variables, [])
  })

  test('accepts a production setup, as text too', async (context) => {
    const place = workplaceOf(context)

    await expectProblems(place, forCustomers(), [])
    const text = await vi.waitFor(async () => {
      const finished = await place.run(['doctor'], forCustomers())
      expect(finished.code).toBe(0)
      return finished
    }, patience)

    expect(text.stdout).toContain('ok      PAYMENTS: Stripe collects live payments\n')
    expect(text.stdout).toContain('ok      DATABASE_URL: answers, and is safe\n')
    expect(text.stdout).toContain('ok      schema of DATABASE_URL: up to date\n')
    expect(text.stdout).toContain('ok      BACKEND_SEO_URL: answers\n')
    expect(text.stdout).toMatch(/^note {4}METRICS_TOKEN: not set/m)
    expect(text.stdout).toMatch(/^note {4}seller: the example: write into price-list.yaml/m)
    expect(text.stdout).toMatch(/\nstatus: fine\n$/)
    const asked = stripe.received.filter(({ route }) => route === 'GET /v1/balance')
    expect(asked[0]?.headers.authorization).toBe('Bearer sk_live_hunter2')
  })

  test('names all unsafe and missing settings at once, exit code 1, and no secret', async (context) => {
    const place = workplaceOf(context)
    const simulator = await startSimulator(loadCatalog(), { keys: () => null })
    context.onTestFinished(() => simulator.close())
    const superuserUrl = new URL(inject('superuserUrl'))
    superuserUrl.pathname = new URL(database.serviceUrl).pathname
    const variables = {
      ...forCustomers(),
      DATABASE_URL: superuserUrl.href,
      GATEWAY_SECRET: 'changeme-hunter2-changeme-hunter2',
      TRUST_PROXY: 'true',
      BASE_URL: 'http://api.example.com',
      STRIPE_SECRET_KEY: 'sk_test_hunter2',
      STRIPE_WEBHOOK_SECRET: '',
      PORT: 'eighty',
      OAUTH_DYNAMIC_REGISTRATION: 'off',
      EXPORT_S3_URL: 's3://key:hunter2@s3.example/Exports?region=eu',
      EXPORT_S3_SECRET: 'hunter2',
      SMTP_URL: 'mailbox:',
      BACKEND_SEO_URL: simulator.urlOf('seo'),
      BACKEND_CLOUD_URL: '',
    }

    const finished = await expectProblems(place, variables, [
      'missing STRIPE_WEBHOOK_SECRET',
      ...['unsafe BACKEND_SEO_URL', 'unsafe BASE_URL', 'unsafe DATABASE_URL'],
      ...['unsafe GATEWAY_SECRET', 'unsafe SMTP_URL', 'unsafe TRUST_PROXY', 'wrong PORT'],
      ...['wrong EXPORT_S3_SECRET', 'wrong EXPORT_S3_URL'],
    ])

    const { status, findings } = reportOf(finished)
    expect(status).toBe('unsafe')
    expect(findings).toContainEqual({
      level: 'note',
      about: 'BACKEND_CLOUD_URL',
      message: 'not set: live calls of the module are 503, and cost nothing',
    })
    expect(findings).toContainEqual({
      level: 'note',
      about: 'RETURN_ORIGINS',
      message: 'not set: payers and people in the console come back to this gateway alone',
    })
    expect(findings).toContainEqual({
      level: 'ok',
      about: 'OAUTH_DYNAMIC_REGISTRATION',
      message: 'off: agents need a document, or an account that registers them',
    })
    expect(finished.stdout).not.toContain('hunter2')
    expect(finished.stdout).not.toContain(superuserUrl.password || 'hunter2')
  })

  const unsuitable: readonly (readonly [Record<string, string>, readonly string[], string])[] = [
    [{ PAYMENTS: 'simulated' }, ['unsafe PAYMENTS'], 'unsafe'],
    [{}, ['missing PAYMENTS'], 'missing'],
    [
      { PAYMENTS: 'stripe' },
      ['missing STRIPE_SECRET_KEY', 'missing STRIPE_WEBHOOK_SECRET'],
      'missing',
    ],
    [
      { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' },
      ['unsafe STRIPE_SECRET_KEY'],
      'unsafe',
    ],
  ]
  test.each(chosen('payments', unsuitable, 2))(
    'reports of %j on a configured database why it is unsuitable',
    async (payments, expected, status) => {
      const place = openWorkplace()
      const silent = { STRIPE_SECRET_KEY: '', STRIPE_WEBHOOK_SECRET: '', STRIPE_API_URL: '' }
      const api = 'STRIPE_SECRET_KEY' in payments ? { STRIPE_API_URL: stripe.url } : {}

      const variables = { ...forCustomers(), ...silent, PAYMENTS: '', ...payments, ...api }
      const finished = await expectProblems(place, variables, expected).finally(() => place.close())
      expect(reportOf(finished).status).toBe(status)
    },
  )

  test('waits two seconds at most for each service that does not answer', async (context) => {
    const place = workplaceOf(context)
    const hole = createServer(() => {}).listen(0, '127.0.0.1')
    context.onTestFinished(() => void hole.close())
    await new Promise((resolve) => hole.once('listening', resolve))
    const address = hole.address()
    const at = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const started = performance.now()

    const finished = await place.run(['doctor', '--json'], {
      ...forCustomers(),
      DATABASE_URL: `postgres://gateway:hunter2@${at}/gateway`,
      REDIS_URL: `redis://:hunter2@${at}`,
      STRIPE_API_URL: `http://${at}`,
      SMTP_URL: `smtp://gateway:hunter2@${at}`,
      OPERATOR_BASE_URL: 'https://operators.example.com',
      OPERATOR_OIDC_ISSUER: `http://${at}`,
      OPERATOR_OIDC_CLIENT_ID: 'gateway',
      OPERATOR_OIDC_CLIENT_SECRET: 'hunter2',
      OPERATOR_ROLES: 'groups:admin=gw-admins',
      EXPORT_S3_URL: `s3+http://hunter2:hunter2@${at}/exports?region=eu`,
      DIGEST_S3_URL: `s3+http://hunter2:hunter2@${at}/digests?region=eu`,
      ...backendsAt(() => `http://${at}`),
    })

    // Two seconds, and what a busy machine needs to start the command.
    expect(performance.now() - started).toBeLessThan(30_000)
    expect(finished.code).toBe(1)
    expect(problemsOf(finished)).toEqual(
      expect.arrayContaining([
        ...['missing DATABASE_URL', 'missing REDIS_URL', 'missing SMTP_URL', 'missing Stripe'],
        ...['missing EXPORT_S3_URL', 'missing DIGEST_S3_URL', 'missing OPERATOR_OIDC_ISSUER'],
        ...modules.map((module) => `missing ${nameOf(module)}`),
      ]),
    )
    expect(finished.stdout).not.toContain('hunter2')
  })

  test('asks the issuer at which operators sign in for its discovery', async (context) => {
    const place = workplaceOf(context)
    const operatorUrl = 'https://operators.example.com'
    const issuer = await startTestIssuer({ operatorUrl })
    context.onTestFinished(() => issuer.close())
    const about = 'OPERATOR_OIDC_ISSUER'
    const findingOf = async (expected: readonly string[], changes: Record<string, string> = {}) => {
      const set = { OPERATOR_BASE_URL: operatorUrl, ...issuer.variables, ...changes }
      const finished = await expectProblems(place, { ...forCustomers(), ...set }, expected)
      expect(finished.stdout).not.toContain(issuer.variables.OPERATOR_OIDC_CLIENT_SECRET)
      return reportOf(finished).findings.filter((finding) => finding.about === about)
    }

    expect(await findingOf([])).toEqual([
      { level: 'ok', about, message: `${issuer.url} answers, and is the issuer` },
    ])
    expect(issuer.requests).toContain('GET /.well-known/openid-configuration')

    // The same server under another name: what it signs is of the first one.
    const other = issuer.url.replace('127.0.0.1', 'localhost')
    expect(await findingOf([`wrong ${about}`], { [about]: other })).toEqual([
      {
        level: 'wrong',
        about,
        message: expect.stringMatching(/^is not what its discovery says: /),
      },
    ])

    issuer.brokenWith = 500
    expect(await findingOf([`missing ${about}`])).toEqual([
      { level: 'missing', about, message: expect.stringMatching(/^no discovery: /) },
    ])

    issuer.close()
    expect(await findingOf([`missing ${about}`])).toEqual([
      { level: 'missing', about, message: expect.stringMatching(/^no discovery: .*ECONNREFUSED/) },
    ])
  })

  test('checks the subgraphs of a facade, but not its payment provider', async (context) => {
    const place = workplaceOf(context)
    const { GATEWAY_SECRET, BASE_URL, SANDBOX_BASE_URL } = forCustomers()
    const nowhere = ['ACCOUNT', 'KEYS', 'OAUTH', 'USAGE'].map((name) => [
      `${name}_SUBGRAPH_URL`,
      'http://127.0.0.1:1',
    ])

    const finished = await expectProblems(
      place,
      {
        ...{ GATEWAY_SECRET, BASE_URL, SANDBOX_BASE_URL },
        ...backendsAt(() => backend.url),
        ...Object.fromEntries(nowhere),
      },
      nowhere.map(([name]) => `missing ${name} 127.0.0.1:1`),
      ['facade'],
    )

    expect(reportOf(finished).status).toBe('missing')
  })

  test('answers an unknown role with exit code 2; --help explains the command', async (context) => {
    const place = workplaceOf(context)

    const [unknown, option, help] = await Promise.all([
      place.run(['doctor', 'nurse']),
      place.run(['doctor', '--cure']),
      place.run(['doctor', '--help']),
    ])

    expect([unknown.code, option.code, help.code]).toEqual([2, 2, 0])
    expect(help.stdout).toContain('It prints no secret.')
    expect(help.stdout).toContain('--json')
    expect(help.stdout).toContain('docker compose run --rm account doctor account')
  })
})
