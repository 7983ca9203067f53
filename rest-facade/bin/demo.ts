import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { InternalCaller } from '../../schema/caller.ts'
import { newId } from '../../schema/ids.ts'
import { writeSecretFile } from '../../subgraphs/shared/secret-file.ts'
import { mintInternalToken } from '../internal/internal-token.ts'
import type { Gateway } from './all-in-one.ts'

const credentials = z.object({
  account_id: z.string(),
  live_key: z.string(),
  sandbox_key: z.string(),
})

/** What `DATA_DIR/demo.json` holds (contract §1). */
export interface Demo extends z.infer<typeof credentials> {
  readonly base_url: string
  readonly sandbox_url: string
  readonly internal_url: string
  readonly internal_token: string
}

export interface SeededDemo {
  readonly demo: Demo
  readonly file: string
  /** Whether the account was made just now, so that its keys are shown. */
  readonly isNew: boolean
}

const demoEmail = 'demo@example.com'
const tokenTtlSeconds = 30 * 24 * 3600

/** One account to try the gateway with, made once; its addresses and token are renewed at each start. */
export async function seedDemo(gateway: Gateway, dataDir: string): Promise<SeededDemo | null> {
  const file = join(dataDir, 'demo.json')
  const earlier = existsSync(file)
    ? credentials.parse(JSON.parse(readFileSync(file, 'utf8')))
    : null
  const account = earlier ?? (await createDemoAccount(gateway))
  if (!account) return null
  const { token } = await mintInternalToken(gateway.internalTokenKey, 'admin', tokenTtlSeconds)
  const demo: Demo = {
    base_url: gateway.baseUrl,
    sandbox_url: gateway.sandboxUrl,
    internal_url: gateway.internalUrl,
    ...account,
    internal_token: token,
  }
  writeSecretFile(file, `${JSON.stringify(demo, null, 2)}\n`)
  return { demo, file, isNew: earlier === null }
}

const created = z.object({
  account: z.object({ id: z.string() }),
  liveKey: z.string(),
  sandboxKey: z.string(),
})
const firstPage = z.object({ nodes: z.array(z.unknown()) })

async function createDemoAccount({ graph }: Gateway): Promise<z.infer<typeof credentials> | null> {
  const caller: InternalCaller = {
    kind: 'internal',
    role: 'admin',
    environment: 'live',
    requestId: newId('req'),
    traceId: '',
  }
  // Somebody deleted demo.json but not the database: it is no longer a first start.
  const search = { first: 1, search: demoEmail }
  const { nodes } = firstPage.parse(await graph.execute('ListAccounts', search, caller))
  if (nodes.length > 0) return null
  const input = {
    name: 'Demo',
    email: demoEmail,
    tier: 'PROFESSIONAL',
    subscriptionTier: 'pro_sub',
    credits: 10_000,
  }
  const made = created.parse(await graph.execute('CreateAccount', { input }, caller))
  return { account_id: made.account.id, live_key: made.liveKey, sandbox_key: made.sandboxKey }
}
