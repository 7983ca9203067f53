import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { variablesFor } from '../../support/gateway/gateway.ts'
import { compileProgram } from '../../support/processes/program.ts'
import { openWorkplace, type Workplace } from '../../support/processes/workplace.ts'
import { patience } from '../../support/time/patience.ts'

let places: readonly [Workplace, Workplace]
let database: TestDatabase
beforeAll(async () => {
  await compileProgram()
  places = [openWorkplace(), openWorkplace()]
  database = await createTestDatabase()
})
afterAll(async () => {
  await Promise.all(places.map((place) => place.close()))
  await database.drop()
})

const lines = (text: string) => text.split('\n').filter((line) => line.startsWith('{'))

describe('gateway digest', () => {
  test('two gateways write one digest a day, and its file finds entries that are cut off later', async () => {
    const [one, other] = places
    const folder = join(one.folder, 'digests')
    const variables = { ...variablesFor(database), DIGEST_DIR: folder }
    const run = (...args: string[]) => one.run(args, variables)
    const created = await run(
      ...['account', 'create', '--json', '--name', 'Ada', '--email', 'ada@example.com'],
      ...['--credits', '100'],
    )
    const { account_id: accountId } = JSON.parse(created.stdout)
    const granted = await run(
      ...['credits', 'grant', '--account', accountId, '--credits', '20'],
      ...['--reason', 'Test', '--idempotency-key', 'k1'],
    )
    expect([created.code, granted.code]).toEqual([0, 0])

    // The test must not cross the end of a day, because the next day would have a digest of its own.
    const isEarly = () => new Date().toISOString().slice(11, 16) < '23:57'
    await vi.waitUntil(isEarly, { ...patience, timeout: 240_000 })
    const gateways = await Promise.all([one.start(variables), other.start(variables)])
    await vi.waitUntil(() => gateways.some((one) => lines(one.stdout()).length > 0), patience)
    const again = await run('digest', 'write')
    for (const gateway of gateways) gateway.signal('SIGTERM')
    await Promise.all(gateways.map(({ finished }) => finished))

    const [name = '', ...others] = readdirSync(folder)
    expect(others).toEqual([])
    const file = join(folder, name)
    const { statement, jws } = JSON.parse(readFileSync(file, 'utf8'))
    expect(name).toBe(`digest-${statement.day}.json`)
    const shown = gateways.flatMap((one) => lines(one.stdout()))
    expect(shown.map((line) => JSON.parse(line))).toEqual([{ statement, jws }])
    expect(again).toMatchObject({
      ...{ code: 0, stdout: '' },
      stderr: `The digest of ${statement.day} is in its place already.\n`,
    })

    const whole = await run('digest', 'verify', file, '--json')
    expect(whole).toMatchObject({ code: 0, stderr: '' })
    const checked = {
      ...{ day: statement.day, taken_at: statement.taken_at, accounts: 1 },
      chains: statement.ledger.chains + statement.audit.chains,
      ...{ entries: statement.ledger.entries, events: statement.audit.events },
    }
    expect(JSON.parse(whole.stdout)).toEqual({ ...checked, problems: [] })

    // The ledger is cut off as by a superuser who has read how: what is left fits together.
    await database.query(`
      DO $do$ BEGIN
        SET LOCAL session_replication_role = replica;
        DELETE FROM account.ledger_entry
          WHERE account_id = '${accountId}' AND environment = 'live' AND seq = 2;
        DELETE FROM account.lot
          WHERE account_id = '${accountId}' AND environment = 'live' AND seq = 2;
        UPDATE account.balance b SET balance = 100, last_seq = 1, burnt_seq = least(burnt_seq, 1),
          last_hash = (SELECT hash FROM account.ledger_entry e WHERE e.account_id = b.account_id
            AND e.environment = b.environment AND e.seq = 1)
        WHERE account_id = '${accountId}' AND environment = 'live';
      END $do$`)
    expect(await run('ledger', 'verify')).toMatchObject({ code: 0 })
    const cut = await run('digest', 'verify', file, '--json')
    expect(cut).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(cut.stdout)).toEqual({
      ...checked,
      problems: [
        {
          ...{ chain: 'ledger', account_id: accountId, environment: 'live', seq: 2 },
          problem: 'the entry is missing: the end of the ledger was cut off',
        },
        expect.objectContaining({ problem: expect.stringContaining('the sum of live grant was') }),
      ],
    })
    const text = await run('digest', 'verify', file)
    expect(text).toMatchObject({ code: 1 })
    expect(text.stdout).toContain(
      'problem: the entry is missing: the end of the ledger was cut off',
    )
    expect(text.stdout).toContain('\nproblems: 2\n')
  })

  test('prints a digest that is checked offline, with the public key alone', async () => {
    const [place] = places
    const own = await createTestDatabase()
    const variables = variablesFor(own)
    const [printed, key] = [
      await place.run(['digest', 'write'], variables),
      await place.run(['digest', 'public-key'], variables),
    ]
    expect([printed.code, key.code]).toEqual([0, 0])
    const [file, keyFile] = [join(place.folder, 'printed.json'), join(place.folder, 'key.pem')]
    writeFileSync(file, printed.stdout)
    writeFileSync(keyFile, key.stdout)
    const offline = (path: string) =>
      place.run(['digest', 'verify', path, '--offline', '--public-key', keyFile, '--json'])

    const verified = await offline(file)
    writeFileSync(file, printed.stdout.replace('"accounts":0', '"accounts":1'))
    const changed = await offline(file)
    const without = await place.run(['digest', 'verify', file, '--offline'])

    expect(verified.code).toBe(0)
    const { statement } = JSON.parse(printed.stdout)
    expect(JSON.parse(verified.stdout)).toEqual({ ...statement, status: 'signed' })
    expect(changed).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: 'The statement of the digest is not the one that was signed.\n',
    })
    expect(without).toMatchObject({ code: 2, stdout: '' })
    expect(without.stderr).toContain('error: --offline needs --public-key')
    await own.drop()
  })
})
