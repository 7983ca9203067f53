import type { GraphQLSchema } from 'graphql'
import type { Storage } from '../database/database.ts'
import type { SubgraphOptions } from './context.ts'
import type { SubgraphExecutor } from './in-process.ts'

/**
 * A subgraph: its storage, the schema that it contributes to the supergraph, and the settings that
 * it needs.
 */
export interface Subgraph<Settings extends object = object> extends Storage {
  buildSchema(): Promise<GraphQLSchema>
  /** Runs that schema in this process. */
  readonly executor: (
    schema: GraphQLSchema,
    options: SubgraphOptions & Settings,
  ) => SubgraphExecutor
}
