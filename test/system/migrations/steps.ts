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
