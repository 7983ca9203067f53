import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, type TestContext, test, vi } from 'vitest'
import { makeFont } from '../../support/fonts/made-font.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

const secret = 'a secret for tests, long enough to pass'
const nowhere = 'postgres://gateway:gateway@127.0.0.1:1/gateway'

beforeAll(compileProgram)

function workplaceOf({ onTestFinished }: TestContext): Workplace {
  const place = openWorkplace()
  onTestFinished(() => place.close())
  return place
}

/** The lines of standard error of a start that fails before it has started anything. */
async function problems(
  context: TestContext,
  variables: Readonly<Record<string, string>>,
): Promise<string[]> {
  const place = workplaceOf(context)
  const { code, stdout, stderr } = await place.run(['start'], variables)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(existsSync(place.dataDir)).toBe(false)
  expect(place.postmasters()).toEqual([])
  return stderr.trimEnd().split('\n')
}

/** The variables that the lines begin with. */
function names(lines: readonly string[]): ReadonlySet<unknown> {
  return new Set(lines.map((line) => line.split(/[ :]/)[0]))
}

describe.concurrent('gateway start with a wrong configuration', () => {
  test('names every bad variable on a line of its own and starts nothing', async (context) => {
    const bad = {
      PORT: 'eighty',
      SANDBOX_PORT: '70000',
      BASE_URL: 'ftp://example.com',
      BACKEND_SEO_URL: 'seo',
      REDIS_URL: 'http://127.0.0.1',
      KEY_PREFIX: 'A',
      GATEWAY_SECRET: 'short',
      BACKEND_TIMEOUT_MS: '-1',
      DRAIN_TIMEOUT_SECONDS: 'soon',
      TRUST_PROXY: 'true',
      LOG_LEVEL: 'loud',
    }

    const lines = await problems(context, bad)

    expect(names(lines)).toEqual(new Set(Object.keys(bad)))
    expect(lines).toHaveLength(Object.keys(bad).length)
    expect(lines).toContainEqual(expect.stringMatching(/^TRUST_PROXY must not be true: .*forge/))
  })

  test('names contradictions together with all other mistakes', async (context) => {
    const variables = { PORT: 'eighty', DATABASE_URL: nowhere, HOLD_TTL_SECONDS: '1' }

    expect(names(await problems(context, variables))).toEqual(
      new Set(['GATEWAY_SECRET', 'HOLD_TTL_SECONDS', 'PAYMENTS', 'PORT']),
    )
  })

  test('refuses a name of an earlier build, and names its successor', async (context) => {
    const old = { SUBGRAPH_TIMEOUT_MS: '5000', EXPORT_S3_SECRET_FILE: '/run/secrets/none' }

    expect(await problems(context, old)).toEqual([
      'SUBGRAPH_TIMEOUT_MS is gone: DATABASE_TIMEOUT_MS is the limit of both',
      'EXPORT_S3_SECRET_FILE is now a part of EXPORT_S3_URL: s3://<key>:<secret>@<host>/<bucket>?region=<region>',
    ])
  })

  test('refuses DATABASE_URL without GATEWAY_SECRET', async (context) => {
    const lines = await problems(context, { DATABASE_URL: nowhere, PAYMENTS: 'simulated' })

    expect(names(lines)).toEqual(new Set(['GATEWAY_SECRET']))
  })

  test('refuses fonts of invoices that cannot be used, also for the doctor', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'invoice-fonts-'))
    context.onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'good.ttf'), makeFont('東京'))
    writeFileSync(join(folder, 'bad.ttf'), 'no font')

    expect(await problems(context, { INVOICE_FONTS: folder })).toEqual([
      'INVOICE_FONTS bad.ttf: Unknown font format',
    ])
    const place = workplaceOf(context)
    const examined = await place.run(['doctor'], { INVOICE_FONTS: folder })
    expect(examined.code).toBe(1)
    expect(examined.stdout).toContain('wrong   INVOICE_FONTS: bad.ttf: Unknown font format\n')
    rmSync(join(folder, 'bad.ttf'))
    const accepted = await place.run(['doctor'], { INVOICE_FONTS: folder })
    expect(accepted.code).toBe(0)
    expect(accepted.stdout).toContain(`ok      INVOICE_FONTS: ${folder}\n`)
  })

  test('refuses DATABASE_URL without PAYMENTS', async (context) => {
    const database = { DATABASE_URL: nowhere, GATEWAY_SECRET: secret }

    expect(await problems(context, database)).toEqual([
      'PAYMENTS is required with DATABASE_URL: stripe, with STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, or simulated, which gives credits for nothing',
    ])
    expect(await problems(context, { ...database, PAYMENTS: 'stripe' })).toEqual([
      'STRIPE_SECRET_KEY is required to use Stripe',
      'STRIPE_WEBHOOK_SECRET is required to use Stripe',
    ])
  })

  test('explains a database that does not answer, without a stack', async (context) => {
    const lines = await problems(context, {
      DATABASE_URL: nowhere,
      GATEWAY_SECRET: secret,
      PAYMENTS: 'simulated',
    })

    expect(lines.join('\n')).toContain('127.0.0.1:1')
    expect(lines.filter((line) => /^\s+at /.test(line))).toEqual([])
  })

  test('refuses to serve as a superuser of the database', async (context) => {
    const place = workplaceOf(context)
    const program = place.spawn(['start'], {
      DATABASE_URL: inject('superuserUrl'),
      MIGRATE_DATABASE_URL: inject('ownerUrl'),
      GATEWAY_SECRET: secret,
      PAYMENTS: 'simulated',
    })

    await vi.waitUntil(() => program.stdout() !== '' || !program.isRunning(), patience)
    expect({ runs: program.isRunning(), stdout: program.stdout() }).toEqual({
      runs: false,
      stdout: '',
    })
    expect(await program.finished).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('superuser'),
    })
  })

  test('names a port in use and leaves nothing running', async (context) => {
    const place = workplaceOf(context)
    const occupied = createServer()
    context.onTestFinished(() => void occupied.close())
    occupied.listen(0, '127.0.0.1')
    await once(occupied, 'listening')
    const address = occupied.address()
    const port = String(typeof address === 'object' ? address?.port : address)

    const { code, stdout, stderr } = await place.run(['start'], { INTERNAL_PORT: port })

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(port)
    expect(stderr).toMatch(/in use/)
    // What it began is said before.
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/in use/)
    expect(place.postmasters()).toEqual([])
  })
})
