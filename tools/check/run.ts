import { basename } from 'node:path'
import { projectRoot } from '../../schema/process/project-root.ts'
import { generate } from '../generate/generate.ts'
import { checkContract } from './check-contract.ts'
import { readCallers } from './graphql/callers.ts'
import type { Report } from './report/report.ts'
import type { Base } from './trees/base.ts'
import { openTree } from './trees/tree.ts'

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
