import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inspectConfig } from '../../../gateway/config/config.ts'
import { oldNames } from '../../../gateway/config/old-names.ts'
import { subgraphNames } from '../../../gateway/config/role-names.ts'
import { secretNames } from '../../../gateway/config/secret-variables.ts'
import { environment } from '../../../gateway/config/variables/environment.ts'
import { backendModules } from '../../../schema/catalog/backend-modules.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')
const isOurs = (name: string) => !name.startsWith('OTEL_')

/** Subgraph → the variables that each subgraph has; `.env.example` has those of the first one as examples. */
const ofSubgraph = (name: string) =>
  ['DATABASE_URL', 'MIGRATE_DATABASE_URL'].map((what) => `${name.toUpperCase()}_${what}`)
const [firstSubgraph = '', ...otherSubgraphs] = subgraphNames

/** Everything that the configuration reads. */
const names = [
  ...Object.keys(environment.shape),
  ...backendModules().map((module) => `BACKEND_${module.toUpperCase().replaceAll('-', '_')}_URL`),
  ...subgraphNames.map((name) => `${name.toUpperCase()}_SUBGRAPH_URL`),
  ...ofSubgraph(firstSubgraph),
].filter(isOurs)

const examples = Array.from(
  read('.env.example').matchAll(/^(?<off>#?)(?<name>[A-Z][A-Z0-9_]+)=(?<value>.*)$/gm),
  ({ groups: { off, name = '', value = '' } = {} }) => ({ isSet: off === '', name, value }),
)

describe('.env.example', () => {
  test('has every variable of the gateway once, and no other', () => {
    const ours = examples.map(({ name }) => name).filter(isOurs)

    expect(ours.toSorted()).toEqual(names.toSorted())
  })

  test('sets the defaults, and shows values that are accepted', () => {
    const set = examples.filter(({ isSet }) => isSet).map(({ name, value }) => [name, value])
    const shown = examples.filter(({ value }) => value !== '' && !value.includes('…'))

    expect(environment.parse(Object.fromEntries(set))).toEqual(environment.parse({}))
    for (const { name, value } of shown) {
      expect(environment.partial().safeParse({ [name]: value }).error, name).toBeUndefined()
    }
  })
})

describe('docs/configuration.md', () => {
  const [, table = ''] = read('docs/configuration.md').split('| variable | default | meaning |')
  const [rows = ''] = table.split('\n\n')
  const documented = rows
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([A-Z][A-Z0-9_]+)`/g)])
    .map(([, name = '']) => name)

  test('explains every variable of the gateway once, and no other', () => {
    const isOne = (name: string) => !/^BACKEND_.*_URL$|_SUBGRAPH_URL$/.test(name)
    const others = otherSubgraphs.flatMap(ofSubgraph)

    expect(
      documented.filter((name) => isOurs(name) && isOne(name) && !others.includes(name)).toSorted(),
    ).toEqual(
      names.filter((name) => isOne(name) && name !== 'ACCOUNT_MIGRATE_DATABASE_URL').toSorted(),
    )
  })

  test('names every secret that can stand in a file', () => {
    const [, sentence = ''] =
      /^A secret can stand in a file(.*)$/m.exec(read('docs/configuration.md')) ?? []
    const isNamed = (name: string) =>
      sentence.includes(`\`${name}\``) || name.endsWith('DATABASE_URL')

    expect(secretNames.filter((name) => !isNamed(name))).toEqual([])
  })
})

describe('an old name of a variable', () => {
  test.each([...oldNames])(
    '%s is refused in one line, as a file too, and says: %s',
    (name, advice) => {
      for (const set of [name, `${name}_FILE`]) {
        expect(inspectConfig({ [set]: 'hunter2' }, [], 'all').problems).toEqual([
          `${set} ${advice}`,
        ])
      }
      expect(inspectConfig({ [name]: '' }, [], 'all').problems).toEqual([])
    },
  )

  test('is read no more, and its successor is', () => {
    const successors = [...oldNames.values()].flatMap(
      (advice) => advice.match(/[A-Z0-9]+_[A-Z0-9_]+/g) ?? [],
    )

    expect(new Set(successors)).toEqual(
      new Set(['EXPORT_S3_URL', 'DIGEST_S3_URL', 'DATABASE_TIMEOUT_MS']),
    )
    expect(names).toEqual(expect.arrayContaining(successors))
    expect(names.filter((name) => oldNames.has(name))).toEqual([])
  })
})
