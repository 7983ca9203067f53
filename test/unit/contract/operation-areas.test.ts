import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildASTSchema, getOperationAST, Kind, parse } from 'graphql'
import { expect, test } from 'vitest'
import { routes } from '../../../rest-facade/routes/index.ts'
import { subgraphOf } from '../../../rest-facade/routes/kinds/operation-area.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

const read = (file: string) => parse(readFileSync(join(projectRoot, 'schema', file), 'utf8'))

const schemas = new Map(
  ['account', 'keys', 'oauth', 'usage'].map((name) => [
    name,
    buildASTSchema(read(`generated/${name}.graphql`), { assumeValidSDL: true }),
  ]),
)

const operations = [...new Set(routes.map(({ operation }) => operation))]

test.each(operations)('%s is in the folder of the subgraph that answers it', (name) => {
  const subgraph = subgraphOf(name)
  const operation = getOperationAST(read(`operations/${subgraph}/${name}.graphql`))
  const [field] = operation?.selectionSet.selections ?? []
  const root = operation && schemas.get(subgraph)?.getRootType(operation.operation)

  expect(field?.kind).toBe(Kind.FIELD)
  expect(Object.keys(root?.getFields() ?? {})).toContain(
    field?.kind === Kind.FIELD && field.name.value,
  )
})

test('an operation that is in no folder has no subgraph', () => {
  expect(() => subgraphOf('NoSuchOperation')).toThrow('has no operation NoSuchOperation')
})
