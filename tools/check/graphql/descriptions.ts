import type { GraphQLSchema } from 'graphql'
import type { Finding } from '../report/finding.ts'
import { coordinatesIn } from './coordinates.ts'
import { lineOf, linesOf } from './locate.ts'

const file = 'schema/generated/api.graphql'

/** Parts of the schema without a description. The documentation is made from descriptions. */
export function undescribed(schema: GraphQLSchema, sdl: string): Finding[] {
  const lines = linesOf(sdl)
  return coordinatesIn(schema)
    .filter(({ description }) => !description?.trim())
    .map(({ coordinate }) => ({
      id: `description/missing/${coordinate}`,
      severity: 'error',
      file,
      line: lineOf(lines, coordinate),
      message: `${coordinate} has no description`,
    }))
}
