import { readdirSync } from 'node:fs'
import { join, parse } from 'node:path'
import { projectRoot } from '../../../schema/process/project-root.ts'

/** The folders of schema/operations, by the names of the operations in them. */
const areas = new Map(
  readdirSync(join(projectRoot, 'schema/operations'), { recursive: true, encoding: 'utf8' })
    .map((file) => parse(file))
    .filter(({ ext }) => ext === '.graphql')
    .map(({ name, dir }) => [name, dir]),
)

/**
 * The subgraph that answers an operation: its folder has this name. An operation that joins several
 * subgraphs is in the folder of the one that its first root field belongs to.
 */
export function subgraphOf(operation: string): string {
  const area = areas.get(operation)
  if (!area) throw new Error(`schema/operations has no operation ${operation}.`)
  return area
}
