import { basename } from 'node:path'
import { buildASTSchema, parse } from 'graphql'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { checkContract } from '../../../tools/check/check-contract.ts'
import { type Callers, readCallers } from '../../../tools/check/graphql/callers.ts'
import { graphOf } from '../../../tools/check/graphql/graph.ts'
import { graphqlChanges } from '../../../tools/check/graphql/graphql-changes.ts'
import { joinsOf } from '../../../tools/check/graphql/joins.ts'
import { usesOf } from '../../../tools/check/graphql/operation-uses.ts'
import { operationsIn } from '../../../tools/check/graphql/operations.ts'
import type { Finding } from '../../../tools/check/report/finding.ts'
import type { Report } from '../../../tools/check/report/report.ts'
import { openTree, treeOf } from '../../../tools/check/trees/tree.ts'

const committed = openTree(projectRoot)

/** Subgraph, composition and operation files, as committed. REST is left to the tests that are about it. */
const contractFiles: ReadonlyMap<string, string> = new Map(
  committed
    .list('schema')
    .filter((file) => file.endsWith('.graphql') || file === 'schema/generated/operations.json')
    .map((file) => [file, committed.read(file) ?? '']),
)

const operations = committed.list('schema/operations').map((file) => basename(file, '.graphql'))

/** The callers that execute the committed operations. */
export const callers: Callers = readCallers(projectRoot, operations)

const before = graphOf(treeOf(contractFiles))

/** Once: what the committed operations use of the committed graph. */
const uses = usesOf(
  buildASTSchema(parse(before.api ?? '')),
  operationsIn(treeOf(contractFiles)),
  joinsOf(before.subgraphs),
)

/** The changes that the edits make to the committed graph, and the operations that they break. */
export function graphqlEdited(edits: Edits): Promise<Finding[]> {
  return graphqlChanges({ before, after: graphOf(treeOf(edited(edits))), uses, callers })
}

/** File → what becomes of it; null: it is not there. */
export type Edits = Readonly<Record<string, ((text: string) => string) | string | null>>

interface Checked {
  /** On what is committed: what this tree is instead, and what its generators make. */
  readonly tree?: Edits
  readonly base?: Edits
  readonly today?: string
}

/** The report on a tree whose generated files are all fresh. */
export function checkEdited({
  tree = {},
  base = {},
  today = '2026-01-15',
}: Checked): Promise<Report> {
  const now = edited(tree)
  const generated = [...now].filter(([file]) => !/operations\/|\.yaml$/.test(file))
  return checkContract({
    tree: treeOf(now),
    generated: { files: new Map(generated), findings: [] },
    base: { revision: 'main', commit: '0123456789abcdef', ...treeOf(edited(base)) },
    callers,
    today,
  })
}

/** Each edit must change its file: one that no longer fits the schema would prove nothing. */
function edited(edits: Edits): ReadonlyMap<string, string> {
  const files = new Map(contractFiles)
  for (const [file, edit] of Object.entries(edits)) {
    const before = files.get(file) ?? ''
    const after = typeof edit === 'function' ? edit(before) : edit
    if (after === before) throw new Error(`The edit of ${file} changes nothing.`)
    if (after === null) files.delete(file)
    else files.set(file, after)
  }
  return files
}
