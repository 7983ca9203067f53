import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { internalRoles } from '../../schema/credentials/caller.ts'
import { projectRoot } from '../../schema/process/project-root.ts'

const manifest = z.record(
  z.string(),
  z.object({
    document: z.string(),
    isAct: z.boolean(),
    provenRole: z.nullable(z.enum(internalRoles)),
  }),
)

/** An operation of the page, as `npm run schema` has checked it. */
export type OperatorOperation = z.infer<typeof manifest>[string]

/** The operations of the page by name. */
export function readOperatorOperations(): ReadonlyMap<string, OperatorOperation> {
  const file = join(projectRoot, 'schema/generated/operator-operations.json')
  return new Map(Object.entries(manifest.parse(JSON.parse(readFileSync(file, 'utf8')))))
}
