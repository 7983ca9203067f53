import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Storage } from '../../../subgraphs/shared/database/database.ts'
import { migrate } from '../../../subgraphs/shared/migrating/migrate.ts'
import { createTestDatabase } from '../database/database.ts'
import { filesOf } from './step-files.ts'

/** What does not hold after a step, by the name that its test gives it. */
interface Broken {
  readonly step: string
  readonly what: string
}

/**
 * Runs the steps after the baseline one by one on a database of its own, each after the rows of its
 * `.before.sql`, which stay for the steps that follow. Then the one row of its `.after.sql` says what holds.
 */
export async function checkSteps(storage: Storage, folder: string): Promise<readonly Broken[]> {
  const database = await createTestDatabase({ isEmpty: true })
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const { migrations } = storage
  const broken: Broken[] = []
  try {
    await migrate([{ ...storage, migrations: migrations.slice(0, 1) }], database.ownerUrl)
    for (const [index, { name: step }] of migrations.entries()) {
      if (index === 0) continue
      const { before, after } = filesOf(step)
      await database.query(read(before))
      const upToStep = { ...storage, migrations: migrations.slice(0, index + 1) }
      await migrate([upToStep], database.ownerUrl)
      const rows = await database.query<Record<string, unknown>>(read(after))
      if (rows.length !== 1) broken.push({ step, what: `${after} answers ${rows.length} rows` })
      const said = rows.flatMap((row) => Object.entries(row))
      broken.push(...said.filter(([, holds]) => holds !== true).map(([what]) => ({ step, what })))
    }
    return broken
  } finally {
    await database.drop()
  }
}
