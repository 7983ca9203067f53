import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { MikroORM } from '@mikro-orm/postgresql'
import pgBoss from 'pg-boss/package.json' with { type: 'json' }
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { account } from '../../../subgraphs/account/index.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import type { Storage } from '../../../subgraphs/shared/database/database.ts'
import { jobStorage } from '../../../subgraphs/shared/migrating/apply-steps.ts'
import { ConcurrentIndex } from '../../../subgraphs/shared/migrating/concurrent-index.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import { type Rule, review, reviewFiles, type Step } from './policy.ts'
import { pgBossSchema, reviewed } from './reviewed.ts'

const storages: readonly Storage[] = [jobStorage, account, keys, oauth, usage]

function inOneStep(...statements: string[]): Step[] {
  return [{ name: 'Step0001', statements }]
}

function inStepsOfTheirOwn(...statements: string[]): Step[] {
  return statements.map((sql, index) => ({ name: `Step000${index}`, statements: [sql] }))
}

interface Example {
  readonly rule: Rule
  readonly bad: readonly Step[]
  readonly good: readonly Step[]
}

const notNullCheck = 'ALTER TABLE a.t ADD CONSTRAINT c_there CHECK (c IS NOT NULL) NOT VALID'
const validation = 'ALTER TABLE a.t VALIDATE CONSTRAINT c_there'
const setNotNull = 'ALTER TABLE a.t ALTER c SET NOT NULL, DROP CONSTRAINT c_there'

const examples: readonly Example[] = [
  {
    rule: 'drop-or-rename',
    bad: inOneStep('DROP TABLE a.t'),
    good: inOneStep('CREATE TABLE a.u (id text PRIMARY KEY)'),
  },
  {
    rule: 'drop-or-rename',
    bad: inOneStep('ALTER TABLE a.t DROP COLUMN c'),
    good: inOneStep('ALTER TABLE a.t ALTER c DROP NOT NULL'),
  },
  {
    rule: 'drop-or-rename',
    bad: inOneStep('ALTER TABLE a.t RENAME c TO d'),
    good: inOneStep('ALTER TABLE a.t ADD COLUMN d text'),
  },
  {
    rule: 'drop-or-rename',
    bad: inOneStep('ALTER TABLE a.t RENAME TO u'),
    good: inOneStep('CREATE VIEW a.u AS SELECT * FROM a.t'),
  },
  {
    rule: 'drop-or-rename',
    bad: inOneStep('DROP FUNCTION a.f'),
    good: inOneStep("CREATE FUNCTION a.g() RETURNS text LANGUAGE sql RETURN 'g'"),
  },
  {
    rule: 'drop-or-rename',
    bad: inOneStep('REVOKE SELECT ON a.t FROM gateway_service'),
    good: inOneStep('GRANT SELECT ON a.t TO gateway_service'),
  },
  {
    rule: 'drop-or-rename',
    bad: inOneStep("ALTER TYPE a.e RENAME VALUE 'x' TO 'y'"),
    good: inOneStep("ALTER TYPE a.e ADD VALUE 'y'"),
  },
  {
    rule: 'type-change',
    bad: inOneStep('ALTER TABLE a.t ALTER c TYPE bigint'),
    good: inOneStep('ALTER TABLE a.t ADD COLUMN c_wide bigint'),
  },
  {
    rule: 'not-null-without-default',
    bad: inOneStep('ALTER TABLE a.t ADD COLUMN c text NOT NULL'),
    good: inOneStep("ALTER TABLE a.t ADD COLUMN c text NOT NULL DEFAULT ''"),
  },
  {
    rule: 'set-not-null',
    bad: inStepsOfTheirOwn(notNullCheck, setNotNull),
    good: inStepsOfTheirOwn(notNullCheck, validation, setNotNull),
  },
  {
    rule: 'column-rewrite',
    bad: inOneStep('ALTER TABLE a.t ADD COLUMN c uuid DEFAULT gen_random_uuid()'),
    good: inOneStep('ALTER TABLE a.t ADD COLUMN c timestamptz(3) NOT NULL DEFAULT now()'),
  },
  {
    rule: 'column-rewrite',
    bad: inOneStep('ALTER TABLE a.t ADD COLUMN c int GENERATED ALWAYS AS (b + 1) STORED'),
    good: inOneStep("ALTER TABLE a.t ADD COLUMN c text[] NOT NULL DEFAULT '{}'::text[]"),
  },
  {
    rule: 'column-rewrite',
    bad: inOneStep('ALTER TABLE a.t ADD COLUMN c bigserial'),
    good: inOneStep('ALTER TABLE a.t ADD COLUMN c bigint'),
  },
  {
    rule: 'index-not-concurrent',
    bad: inOneStep('CREATE INDEX t_c ON a.t (c)'),
    good: inOneStep('CREATE TABLE a.u (c text)', 'CREATE INDEX u_c ON a.u (c)'),
  },
  {
    rule: 'index-not-concurrent',
    // PostgreSQL refuses it in a transaction: there is a kind of step for it.
    bad: inOneStep('CREATE INDEX CONCURRENTLY t_c ON a.t (c)'),
    good: inOneStep('CREATE TABLE a.u (c text UNIQUE)'),
  },
  {
    rule: 'constraint-validates',
    bad: inOneStep('ALTER TABLE a.t ADD CONSTRAINT t_c CHECK (c > 0)'),
    good: inOneStep('ALTER TABLE a.t ADD CONSTRAINT t_c CHECK (c > 0) NOT VALID'),
  },
  {
    rule: 'constraint-validates',
    bad: inOneStep(notNullCheck, validation),
    good: inStepsOfTheirOwn(notNullCheck, validation),
  },
  {
    rule: 'constraint-validates',
    bad: inOneStep('ALTER TABLE a.t ADD COLUMN c int CHECK (c > 0)'),
    good: inOneStep('CREATE TABLE a.u (c int CHECK (c > 0))'),
  },
  {
    rule: 'constraint-validates',
    bad: inOneStep('ALTER TABLE a.t ADD CONSTRAINT t_c UNIQUE (c)'),
    good: inOneStep('ALTER TABLE a.t ADD CONSTRAINT t_c UNIQUE USING INDEX t_c'),
  },
  {
    rule: 'several-locks',
    bad: inOneStep('ALTER TABLE a.t ADD COLUMN c text', 'ALTER TABLE a.u ADD COLUMN c text'),
    good: inStepsOfTheirOwn(
      'ALTER TABLE a.t ADD COLUMN c text',
      'ALTER TABLE a.u ADD COLUMN c text',
    ),
  },
  {
    rule: 'several-locks',
    bad: inOneStep('ALTER TABLE a.t ADD CONSTRAINT t_u FOREIGN KEY (c) REFERENCES a.u NOT VALID'),
    good: inOneStep('CREATE TABLE a.v (id text REFERENCES a.u)'),
  },
  {
    rule: 'several-locks',
    bad: inOneStep(
      'CREATE TRIGGER x AFTER UPDATE ON a.t FOR EACH ROW EXECUTE FUNCTION a.f()',
      'CREATE POLICY tenant ON a.u USING (true)',
    ),
    good: inOneStep('CREATE TRIGGER x AFTER UPDATE ON a.t FOR EACH ROW EXECUTE FUNCTION a.f()'),
  },
  {
    rule: 'rows-at-once',
    bad: inOneStep('UPDATE a.t SET c = 1'),
    good: inOneStep("INSERT INTO a.t (id) VALUES ('x')"),
  },
  {
    rule: 'rows-at-once',
    bad: inOneStep('INSERT INTO a.t SELECT * FROM a.u'),
    good: inOneStep('CREATE TABLE a.v (id text)', 'INSERT INTO a.v SELECT id FROM a.u'),
  },
  {
    rule: 'rows-at-once',
    bad: inOneStep('DELETE FROM a.t'),
    good: inOneStep('ALTER TABLE a.t ALTER c SET DEFAULT 0'),
  },
  {
    rule: 'not-readable',
    bad: inOneStep('DO $$ BEGIN DROP TABLE a.t; END $$'),
    good: inOneStep("COMMENT ON TABLE a.t IS 'DROP TABLE a.t'"),
  },
  {
    rule: 'not-readable',
    bad: inOneStep('ALTER TABLE a.t DISABLE TRIGGER ALL'),
    good: inOneStep('ALTER TABLE a.t ALTER c SET STATISTICS 1000'),
  },
  {
    rule: 'not-readable',
    bad: inOneStep('ALTER TABLE a.t SET (autovacuum_enabled = false, user_catalog_table = true)'),
    good: inOneStep(
      'ALTER TABLE a.t SET (autovacuum_analyze_threshold = 1)',
      'ALTER TABLE a.u SET (autovacuum_analyze_threshold = 1)',
    ),
  },
]

describe('the rules for migration steps', () => {
  test.each(examples)('$rule refuses $bad.0.statements, accepts $good.0.statements', (example) => {
    const { rule, bad, good } = example

    expect(review(bad).map((finding) => finding.rule)).toEqual([rule])
    expect(review(good)).toEqual([])
  })

  test('untested refuses a step without both parts of its test beside it', () => {
    const step = 'PaidRefunds0001'
    const files = ['baseline.sql', '0001-paid-refunds.ts', '0001-paid-refunds.before.sql']
    const after = '0001-paid-refunds.after.sql'

    expect(reviewFiles([step], files)).toEqual([{ step, rule: 'untested', what: after }])
    expect(reviewFiles([step], [...files, after])).toEqual([])
  })
})

describe('the migration steps of this build', () => {
  let orm: MikroORM
  beforeAll(() => {
    // Steps say what they would do; a step that asked the database could not be read.
    orm = new MikroORM({
      clientUrl: 'postgres://127.0.0.1:1/none',
      entities: [],
      discovery: { warnWhenNoEntities: false },
    })
  })
  afterAll(() => orm.close(true))

  async function read(Migration: Storage['migrations'][number]): Promise<Step | null> {
    const step = new Migration(orm.em.getDriver(), orm.config)
    if (step instanceof ConcurrentIndex) return null
    expect([Migration.name, step.isTransactional()]).toEqual([Migration.name, true])
    await step.up()
    return { name: Migration.name, statements: step.getQueries().map(String) }
  }

  async function findingsOf({ name: schema, migrations }: Storage) {
    const [, ...later] = migrations
    const steps = await Promise.all(later.map(read))
    return review(steps.filter((step) => step !== null)).map(({ step, ...finding }) => ({
      step: `${schema}.${step}`,
      ...finding,
    }))
  }

  test.each(storages)(
    '$name start with the baseline, and are numbered without a gap',
    ({ migrations }) => {
      const [baseline, ...later] = migrations.map(({ name }) => name)

      expect(baseline).toMatch(/^Baseline [0-9a-f]{16}$/)
      expect(later.map((name) => Number(name.slice(-4)))).toEqual(
        later.map((_, index) => index + 1),
      )
    },
  )

  test('are safe beside the build before, or have a reviewed reason', async () => {
    const found = (await Promise.all(storages.map(findingsOf))).flat()

    const isReviewed = ({ step, rule }: { step: string; rule: Rule }) =>
      reviewed.some((exception) => exception.step === step && exception.rule === rule)
    expect(found.filter((finding) => !isReviewed(finding))).toEqual([])
    const unused = reviewed.filter(
      ({ step, rule }) => !found.some((finding) => finding.step === step && finding.rule === rule),
    )
    expect(unused).toEqual([])
  })

  test('have a test beside them', () => {
    const found = storages.flatMap(({ name, migrations }) => {
      const path = name === jobStorage.name ? 'shared/jobs' : name
      const folder = readdirSync(join(projectRoot, 'subgraphs', path, 'migrations'))
      return reviewFiles(
        migrations.slice(1).map((step) => step.name),
        folder,
      )
    })

    expect(found).toEqual([])
  })

  test('work with the schema of pg-boss that was reviewed', () => {
    expect(pgBoss.pgboss.schema).toBe(pgBossSchema)
  })
})
