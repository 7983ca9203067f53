import type { GraphQLSchema } from 'graphql'
import type { Storage } from './database.ts'

/** What a subgraph is: its storage, and the schema it contributes to the supergraph. */
export interface Subgraph extends Storage {
  buildSchema(): Promise<GraphQLSchema>
}
