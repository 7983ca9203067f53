import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Migration } from '@mikro-orm/migrations'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import type { Storage } from '../database/database.ts'

type Step = Storage['migrations'][number]

/**
 * The first step of a schema: all that it has in release 1.0.0, which `baseline.sql` in this folder of
 * `subgraphs/` makes. Its name has the hash of that file, so a database knows which baseline has made it.
 */
export function baselineIn(folder: string): Step {
  const sql = readFileSync(join(projectRoot, 'subgraphs', folder, 'baseline.sql'), 'utf8')
  const step = class extends Migration {
    override up(): void {
      this.addSql(sql)
    }
  }
  Object.defineProperty(step, 'name', { value: `Baseline ${sha256(sql).slice(0, 16)}` })
  return step
}

/** Another baseline has made the schema, so no step of this build fits it. */
export class OtherBaseline extends Error {
  override readonly name = 'OtherBaseline'

  constructor(schema: string, found: string, expected: string) {
    super(
      `The schema ${schema} was made by "${found}", and this build begins with "${expected}". Before release ` +
        '1.0.0 no database is carried over from one build to the next: run the build that made it, or ' +
        'start with an empty database (an empty DATA_DIR for the embedded one). Nothing was changed.',
    )
  }
}
