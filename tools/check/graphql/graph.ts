import type { Tree } from '../trees/tree.ts'

/** The file of the public schema, composed of the subgraphs. */
export const apiFile = 'schema/generated/api.graphql'

/** The graph at one time: subgraph → SDL, and the composed schema if they compose. */
export interface Graph {
  readonly subgraphs: ReadonlyMap<string, string>
  readonly api: string | null
}

const composed = [apiFile, 'schema/generated/supergraph.graphql']

/** Reads the graph from the committed or generated files of a project. */
export function graphOf(tree: Tree): Graph {
  const subgraphs = new Map<string, string>()
  for (const file of tree.list('schema')) {
    const [, name] = /^schema\/generated\/([^/]+)\.graphql$/.exec(file) ?? []
    const sdl = name === undefined || composed.includes(file) ? null : tree.read(file)
    if (name !== undefined && sdl !== null) subgraphs.set(name, sdl)
  }
  return { subgraphs, api: tree.read(apiFile) }
}
