import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'

const file = z.record(
  z.string(),
  z.strictObject({ request: z.unknown().optional(), responses: z.record(z.string(), z.unknown()) }),
)

/** Examples that the tests recorded: operationId → the request, and a body for each status. */
export type Examples = z.infer<typeof file>

export function readExamples(): Examples {
  const path = join(projectRoot, 'schema/generated/examples.json')
  return existsSync(path) ? file.parse(JSON.parse(readFileSync(path, 'utf8'))) : {}
}
