import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { findRunningServer } from '../embedded-postgres/embedded-postgres.ts'

const addresses = z
  .object({ base_url: z.url(), sandbox_url: z.url(), internal_url: z.url() })
  .transform((file) => ({
    live: file.base_url,
    sandbox: file.sandbox_url,
    internal: file.internal_url,
  }))

/**
 * The addresses of the gateway that runs on the embedded database of this folder; null without one. They may
 * differ from the variables of a command, which is often run in another shell.
 */
export async function runningUrls(dataDir: string): Promise<z.infer<typeof addresses> | null> {
  const file = join(dataDir, 'demo.json')
  if (!existsSync(file) || !(await findRunningServer(dataDir))) return null
  return addresses.parse(JSON.parse(readFileSync(file, 'utf8')))
}
