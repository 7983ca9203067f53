import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import { checkSteps } from '../../support/migrations/check-steps.ts'
import { laterAccount, stepOf } from '../../support/migrations/steps.ts'

describe('the migration steps of this build', () => {
  test.each([account, keys, oauth, usage])(
    'of $name leave true what their tests say, on the rows of these tests',
    async (storage) => {
      const folder = join(projectRoot, 'subgraphs', storage.name, 'migrations')

      expect(await checkSteps(storage, folder)).toEqual([])
    },
  )
})

describe('the test of a migration step', () => {
  const files = {
    '0901-later-column.before.sql': `
      INSERT INTO account.account (id, name, email) VALUES ('acc_1', 'before', 'a@before.test')`,
    '0901-later-column.after.sql': `
      SELECT count(*) = 1 AS "the row before it is kept", count(later) = 0 AS "no row has a value"
      FROM account.account`,
    '0902-filled.before.sql': `
      INSERT INTO account.account (id, name, email, later)
      VALUES ('acc_2', 'between', 'a@between.test', 5)`,
    '0902-filled.after.sql': `
      SELECT bool_and(later IS NOT NULL) AS "every row has a value",
        bool_or(later = 5) AS "a value that was there is kept" FROM account.account`,
  }
  const addition = stepOf('LaterColumn0901', 'ALTER TABLE account.account ADD COLUMN later integer')

  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'steps-'))
    for (const [name, sql] of Object.entries(files)) writeFileSync(join(folder, name), sql)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('passes when all holds, on the rows before it and before the steps before it', async () => {
    const filling = stepOf('Filled0902', 'UPDATE account.account SET later = 0 WHERE later IS NULL')

    expect(await checkSteps(laterAccount(addition, filling), folder)).toEqual([])
  })

  test('says by name what does not hold', async () => {
    const filling = stepOf('Filled0902', 'UPDATE account.account SET later = 0')

    expect(await checkSteps(laterAccount(addition, filling), folder)).toEqual([
      { step: 'Filled0902', what: 'a value that was there is kept' },
    ])
  })

  test('fails without its files', async () => {
    const untested = stepOf('Untested0901', 'SELECT')

    await expect(checkSteps(laterAccount(untested), folder)).rejects.toThrow(
      '0901-untested.before.sql',
    )
  })
})
