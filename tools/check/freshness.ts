import type { Finding } from './report/finding.ts'
import type { Tree } from './trees/tree.ts'

/**
 * Generated files that differ from the current output of the generators. `generated`: file →
 * content.
 */
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

/** GraphQL files below schema/, other than operations and fragments written by hand, and pages that no generator writes. */
export function leftoverFiles(tree: Tree, generated: ReadonlyMap<string, string>): Finding[] {
  const schemas = tree
    .list('schema')
    .filter((file) => file.endsWith('.graphql'))
    .filter((file) => !/^schema\/(operations|fragments|operator)\//.test(file))
  return [...schemas, ...tree.list('site/generated')]
    .filter((file) => !generated.has(file))
    .map((file) => ({
      id: `fresh/leftover/${file}`,
      severity: 'error',
      file,
      message: 'nothing generates it; delete it',
    }))
}
