import { basename } from 'node:path'
import { generate } from '../generate.ts'
import { projectRoot } from '../project-root.ts'
import type { Base } from './base.ts'
import { readCallers } from './callers.ts'
import { checkContract } from './check-contract.ts'
import type { Report } from './report.ts'
import { openTree } from './tree.ts'

/** Checks this project as it is on disk. */
export async function runCheck(base: Base): Promise<Report> {
  const tree = openTree(projectRoot)
  const operations = tree.list('schema/operations').map((file) => basename(file, '.graphql'))
  return checkContract({
    ...{ tree, base, generated: await generate() },
    callers: readCallers(projectRoot, operations),
    today: new Date().toISOString().slice(0, 10),
  })
}
