import type { Finding } from './report/finding.ts'
import type { Tree } from './trees/tree.ts'

/** Generated files that are not what would be generated now. `generated`: file → content. */
export function staleFiles(tree: Tree, generated: ReadonlyMap<string, string>): Finding[] {
  return [...generated]
    .filter(([file, content]) => tree.read(file) !== content)
    .map(([file]) => ({
      id: `fresh/stale/${file}`,
      severity: 'error',
      file,
      message: 'is stale; run npm run schema and commit the result',
    }))
}

/** Schemas that nobody wrote and nothing generates: those below schema/, but for the operations. */
export function leftoverFiles(tree: Tree, generated: ReadonlyMap<string, string>): Finding[] {
  return tree
    .list('schema')
    .filter((file) => file.endsWith('.graphql') && !file.startsWith('schema/operations/'))
    .filter((file) => !generated.has(file))
    .map((file) => ({
      id: `fresh/leftover/${file}`,
      severity: 'error',
      file,
      message: 'nothing generates it; delete it',
    }))
}
