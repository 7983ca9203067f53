import { Migration } from '@mikro-orm/migrations'
import { account } from '../../../subgraphs/account/index.ts'
import type { Storage } from '../../../subgraphs/shared/database/database.ts'
import { ConcurrentIndex } from '../../../subgraphs/shared/migrating/concurrent-index.ts'

type Step = Storage['migrations'][number]

/** The account subgraph of a later release: with these steps after its own. */
export function laterAccount(...steps: Step[]): Storage {
  return { ...account, migrations: [...account.migrations, ...steps] }
}

/** A transactional step with this name. */
export function stepOf(name: string, ...statements: readonly string[]): Step {
  const step = class extends Migration {
    override up(): void {
      for (const statement of statements) this.addSql(statement)
    }
  }
  Object.defineProperty(step, 'name', { value: name })
  return step
}

interface Index {
  readonly table: string
  readonly index: string
  readonly definition: string
  readonly isUnique?: boolean
}

export function indexStepOf(name: string, { isUnique = false, ...of }: Index): Step {
  const step = class extends ConcurrentIndex {
    override readonly table = of.table
    override readonly index = of.index
    override readonly definition = of.definition
    override readonly isUnique = isUnique
  }
  Object.defineProperty(step, 'name', { value: name })
  return step
}

/** What the steps of a release may be: a table, an index, a function, and rows that are filled in. */
export const laterSteps: readonly Step[] = [
  stepOf(
    'Table0931',
    'CREATE TABLE account.later (id text COLLATE "C" PRIMARY KEY, filled integer)',
    'GRANT SELECT, INSERT ON account.later TO gateway_service',
    "INSERT INTO account.later (id) VALUES ('one'), ('two')",
  ),
  indexStepOf('Index0932', {
    ...{ table: 'account.later', index: 'account_later_filled', definition: '(filled)' },
  }),
  stepOf(
    'Function0933',
    `CREATE FUNCTION account.filling(id text) RETURNS integer LANGUAGE sql STABLE
       AS $body$ SELECT length(id) $body$`,
  ),
  stepOf('Filled0934', 'UPDATE account.later SET filled = account.filling(id)'),
]
