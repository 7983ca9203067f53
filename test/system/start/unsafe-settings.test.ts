import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type OwnPostgres, startOwnPostgres } from '../../support/processes/own-postgres.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

const secret = 'a secret for tests, long enough to pass'
const settings = ['fsync', 'full_page_writes', 'synchronous_commit']

describe('gateway start on a database that could lose confirmed data', () => {
  let postgres: OwnPostgres
  let place: Workplace
  beforeAll(async () => {
    await compileProgram()
    postgres = await startOwnPostgres()
    place = openWorkplace()
    for (const name of settings) await postgres.database.query(`ALTER SYSTEM SET ${name} = off`)
    await postgres.database.query('SELECT pg_reload_conf()')
    await vi.waitFor(async () => {
      for (const name of settings) {
        expect(await postgres.database.query(`SHOW ${name}`)).toEqual([{ [name]: 'off' }])
      }
    }, patience)
  })
  afterAll(async () => {
    await place.close()
    await postgres.close()
  })

  const refusals = settings.map(
    (name) =>
      `The database has ${name} = off: a crash could lose charges that were confirmed. Turn it on.`,
  )

  async function refusal(variables: Readonly<Record<string, string>>): Promise<string[]> {
    const { code, stdout, stderr } = await place.run(['start'], variables)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    return stderr.trimEnd().split('\n')
  }

  test('names every such setting, and a login or role that bypasses row security', async () => {
    const { serviceUrl, ownerUrl } = postgres.database
    const login = new URL(serviceUrl).username
    await postgres.database.query(`ALTER ROLE ${login} SUPERUSER`)
    await postgres.database.query('ALTER ROLE gateway_service BYPASSRLS')

    const lines = await refusal({
      DATABASE_URL: serviceUrl,
      MIGRATE_DATABASE_URL: ownerUrl,
      GATEWAY_SECRET: secret,
      PAYMENTS: 'simulated',
    })

    await postgres.database.query(`ALTER ROLE ${login} NOSUPERUSER`)
    await postgres.database.query('ALTER ROLE gateway_service NOBYPASSRLS')
    expect(lines).toEqual([
      expect.stringContaining('DATABASE_URL logs in as a superuser.'),
      'The role gateway_service must be neither SUPERUSER nor BYPASSRLS.',
      ...refusals,
    ])
  })

  test('names them together with all unsafe settings of the configuration', async () => {
    const lines = await refusal({
      DATABASE_URL: postgres.database.serviceUrl,
      GATEWAY_SECRET: 'changeme'.repeat(4),
      TRUST_PROXY: 'true',
      BASE_URL: 'http://api.example.com',
    })

    expect(lines.toSorted()).toEqual([
      'BASE_URL must be https, or http on loopback: tokens are issued in its name',
      expect.stringMatching(/^GATEWAY_SECRET must not be a placeholder: /),
      expect.stringMatching(/^PAYMENTS is required with DATABASE_URL: /),
      expect.stringMatching(/^TRUST_PROXY must not be true: /),
      ...refusals,
    ])
  })
})
