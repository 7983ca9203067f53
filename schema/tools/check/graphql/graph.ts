import type { Tree } from '../trees/tree.ts'

/** The public schema: what the subgraphs compose to. */
export const apiFile = 'schema/api.graphql'

/** What the graph is at one time: subgraph → SDL, and what they compose to, if they do. */
export interface Graph {
  readonly subgraphs: ReadonlyMap<string, string>
  readonly api: string | null
}

const composed = [apiFile, 'schema/supergraph.graphql']

/** From the committed or generated files of a project. */
export function graphOf(tree: Tree): Graph {
  const subgraphs = new Map<string, string>()
  for (const file of tree.list('schema')) {
    const [, name] = /^schema\/([^/]+)\.graphql$/.exec(file) ?? []
    const sdl = name === undefined || composed.includes(file) ? null : tree.read(file)
    if (name !== undefined && sdl !== null) subgraphs.set(name, sdl)
  }
  return { subgraphs, api: tree.read(apiFile) }
}
