import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import { projectRoot } from '../../schema/process/project-root.ts'
import type { Json } from '../openapi/components/json.ts'

const contentByPath = z.record(z.string(), z.string())
const maxOutputBytes = 64 * 1024 * 1024

/**
 * The generated files of the TypeScript client: path below the project's root → content. The
 * generator runs in a process of its own, because it loads another TypeScript version.
 */
export function sdkFiles(document: Json): ReadonlyMap<string, string> {
  const output = execFileSync(process.execPath, [join(projectRoot, 'sdk/generate.mjs')], {
    input: JSON.stringify(document),
    encoding: 'utf8',
    maxBuffer: maxOutputBytes,
  })
  const files = Object.entries(contentByPath.parse(JSON.parse(output)))
  return new Map(files.map(([path, content]) => [`sdk/${path}`, content]))
}
