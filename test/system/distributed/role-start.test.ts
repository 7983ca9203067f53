import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, type TestContext, test, vi } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

beforeAll(compileProgram)

const secret = 'GATEWAY_SECRET'
const addresses = ['BASE_URL', 'SANDBOX_BASE_URL']
const subgraphs = ['ACCOUNT', 'KEYS', 'OAUTH', 'USAGE']
const subgraphUrls = subgraphs.map((name) => `${name}_SUBGRAPH_URL`)
const databaseOf = (name: string) => `${name}_DATABASE_URL or DATABASE_URL`

const payments = 'PAYMENTS or STRIPE_SECRET_KEY'

/** Role → what a process of it cannot do without. */
const required: Readonly<Record<string, readonly string[]>> = {
  facade: [secret, ...addresses, ...subgraphUrls],
  account: [secret, ...addresses, databaseOf('ACCOUNT'), payments],
  keys: [secret, ...addresses, 'ACCOUNT_SUBGRAPH_URL', databaseOf('KEYS')],
  oauth: [secret, ...addresses, 'ACCOUNT_SUBGRAPH_URL', databaseOf('OAUTH')],
  usage: [secret, ...addresses, databaseOf('USAGE')],
  supergraph: [secret, ...subgraphUrls],
  worker: [secret, ...addresses, ...subgraphs.map(databaseOf), payments],
}

/** The lines of standard error of a role that does not start. */
async function problems(
  { onTestFinished }: TestContext,
  role: string,
  variables: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const place = openWorkplace()
  onTestFinished(() => place.close())
  const { code, stdout, stderr } = await place.run(['start', role], variables)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  return stderr.trimEnd().split('\n')
}

describe.concurrent('gateway start', () => {
  test.for(Object.entries(required))(
    '%s names all missing and all invalid variables at once, exit code 1',
    async ([role, names], context) => {
      const lines = await problems(context, role, { PORT: 'x', SANDBOX_PORT: 'y' })

      expect(lines.map((line) => line.replace(/ (must|is) .*/, '')).toSorted()).toEqual(
        [...names, 'PORT', 'SANDBOX_PORT'].toSorted(),
      )
      expect(
        lines.filter((line) => line.endsWith(` is required by the role ${role}`)),
      ).toHaveLength(names.length)
    },
  )

  test('facade limits its key cache to 5 s without notices of revoked keys (docs/promises.md S4)', async (context) => {
    const lines = await problems(context, 'facade', { KEY_CACHE_SECONDS: '6' })

    expect(lines).toContain(
      'KEY_CACHE_SECONDS must be at most 5 without REDIS_URL: nothing else tells of revoked keys',
    )
  })

  test('facade waits for its subgraphs, is not ready meanwhile, and stops on a signal', async (context) => {
    const place = openWorkplace()
    context.onTestFinished(() => place.close())
    const internalPort = String(await freePort())
    const nowhere = Object.fromEntries(subgraphUrls.map((name) => [name, 'http://127.0.0.1:1']))
    const facade = place.spawn(['start', 'facade'], {
      ...nowhere,
      ...{ PORT: '0', SANDBOX_PORT: '0', INTERNAL_PORT: internalPort },
      ...{ BASE_URL: 'http://localhost:1', SANDBOX_BASE_URL: 'http://localhost:2' },
      GATEWAY_SECRET: 'a secret for tests, long enough to pass',
    })
    await vi.waitUntil(() => facade.stderr().includes('Waiting for a subgraph'), patience)

    const { status } = await fetch(`http://127.0.0.1:${internalPort}/ready`)
    facade.signal('SIGTERM')

    expect(status).toBe(503)
    expect(await facade.finished).toMatchObject({ code: 0, stdout: '' })
  })

  test('supergraph names mistakes in addresses of subgraphs and in keys of callers', async (context) => {
    const place = openWorkplace()
    context.onTestFinished(() => place.close())
    const file = join(place.folder, 'caller-keys')
    writeFileSync(file, 'too short\n')
    const urls = Object.fromEntries(subgraphUrls.map((name) => [name, 'http://subgraph:4000']))

    const lines = await problems(context, 'supergraph', {
      ...urls,
      ...{ GATEWAY_SECRET: 'a secret for tests, long enough to pass', CALLER_KEYS_FILE: file },
      USAGE_SUBGRAPH_URL: 'http://usage:4000,usage:4000/graphql',
    })

    expect(lines.toSorted()).toEqual([
      'CALLER_KEYS_FILE must hold one secret a line, each of at least 32 characters',
      'USAGE_SUBGRAPH_URL must be a comma-separated list of http or https origins',
    ])
  })
})
