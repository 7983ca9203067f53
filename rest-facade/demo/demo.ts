import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Environment, InternalCaller } from '../../schema/credentials/caller.ts'
import { newId } from '../../schema/vocabulary/ids.ts'
import type { Catalog } from '../catalog/load-catalog.ts'
import { writeSecretFile } from '../config/secret-file.ts'
import { mintInternalToken, recordOf } from '../internal/internal-token.ts'
import type { Gateway as WholeGateway } from '../launch/all-in-one.ts'
import { writeHistory } from './demo-history.ts'

const credentials = z.object({
  account_id: z.string(),
  live_key: z.string(),
  sandbox_key: z.string(),
})
type Credentials = z.infer<typeof credentials>

/** What `DATA_DIR/demo.json` holds (docs/contract.md §1). */
export interface Demo extends Credentials {
  readonly base_url: string
  readonly sandbox_url: string
  readonly internal_url: string
  readonly internal_token: string
}

export interface SeededDemo {
  readonly demo: Demo
  readonly file: string
  /** Whether its keys were made just now, so that they are shown. */
  readonly isNew: boolean
  /** Credits. */
  readonly balance: number
}

/** What a gateway must have for it; it is not told of anything. */
type Gateway = Omit<WholeGateway, 'close'>

const demoName = 'Demo'
const demoEmail = 'demo@example.com'
/** What its first call is charged to. */
const demoCredits = 10_000
const tokenTtlSeconds = 24 * 3600

interface DemoOptions {
  readonly dataDir: string
  readonly catalog: Catalog
  /** No token may live longer. */
  readonly maxTokenTtlSeconds: number
}

/** One account to try the gateway with, made once; its addresses and token are renewed at each start. */
export async function seedDemo(
  gateway: Gateway,
  { dataDir, catalog, maxTokenTtlSeconds }: DemoOptions,
): Promise<SeededDemo | null> {
  const file = join(dataDir, 'demo.json')
  const earlier = await readCredentials(gateway, file)
  const found = earlier ?? (await makeDemo(gateway, catalog))
  if (!found) return null
  const ttlSeconds = Math.min(tokenTtlSeconds, maxTokenTtlSeconds)
  const demo: Demo = {
    base_url: gateway.baseUrl,
    sandbox_url: gateway.sandboxUrl,
    internal_url: gateway.internalUrl,
    ...found,
    internal_token: await mintToken(gateway, ttlSeconds),
  }
  writeSecretFile(file, `${JSON.stringify({ ...readAll(file), ...demo }, null, 2)}\n`)
  return { demo, file, isNew: earlier === null, balance: await balanceOf(gateway, found) }
}

/** Whatever is in the file: what others have added to it stays. */
function readAll(file: string): object {
  return existsSync(file) ? z.looseObject({}).parse(JSON.parse(readFileSync(file, 'utf8'))) : {}
}

/** Whoever reads an older file has a token that has ended, or soon will. */
async function mintToken(
  { graph, internalTokenKey }: Gateway,
  ttlSeconds: number,
): Promise<string> {
  const minted = await mintInternalToken(internalTokenKey, 'admin', ttlSeconds)
  const input = recordOf(minted, 'admin')
  await graph.execute('RecordInternalToken', { input }, callerOf('live'))
  return minted.token
}

/** Null when there are none, or when their database is gone. */
async function readCredentials({ graph }: Gateway, file: string): Promise<Credentials | null> {
  if (!existsSync(file)) return null
  const kept = credentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  const account = await graph.execute('FindAccount', { id: kept.account_id }, callerOf('live'))
  return account === null ? null : kept
}

/**
 * Account, history, keys, and then the file: each step is left out where it was done before, so a start
 * that died is taken up again by the next. A key that such a one has made last is known to nobody.
 */
async function makeDemo({ graph, store }: Gateway, catalog: Catalog): Promise<Credentials | null> {
  const accountId = await findOrOpen(graph)
  if (accountId === null) return null
  const ownerUrl = store.databases.get('account')?.ownerUrl ?? ''
  await writeHistory({ ownerUrl, catalog, accountId, closingBalance: demoCredits })
  return {
    account_id: accountId,
    live_key: await issueKey(graph, accountId, 'live'),
    sandbox_key: await issueKey(graph, accountId, 'sandbox'),
  }
}

const shown = z.object({ balance: z.number() })

async function balanceOf({ graph }: Gateway, { account_id: id }: Credentials): Promise<number> {
  return shown.parse(await graph.execute('ShowAccount', { id }, callerOf('live'))).balance
}

type Graph = Gateway['graph']

const accounts = z.object({
  nodes: z.array(
    z.object({ id: z.string(), name: z.string(), email: z.string(), status: z.string() }),
  ),
})
const opened = z.object({ account: z.object({ id: z.string() }) })

/** Null for an account that somebody has put out of use. */
async function findOrOpen(graph: Graph): Promise<string | null> {
  const search = { first: 100, search: demoEmail }
  const { nodes } = accounts.parse(await graph.execute('ListAccounts', search, callerOf('live')))
  const demo = nodes.findLast(({ name, email }) => name === demoName && email === demoEmail)
  if (demo) return demo.status === 'ACTIVE' ? demo.id : null
  const input = {
    name: demoName,
    email: demoEmail,
    tier: 'PROFESSIONAL',
    subscriptionTier: 'pro_sub',
    addons: ['MASS_MAIL', 'RANK_TRACKING'],
    // All that it has comes from its history.
    credits: 0,
  }
  const { account } = opened.parse(await graph.execute('OpenAccount', { input }, callerOf('live')))
  return account.id
}

const issued = z.object({ plaintext: z.string() })

async function issueKey(
  graph: Graph,
  accountId: string,
  environment: Environment,
): Promise<string> {
  const input = { accountId, environment: environment.toUpperCase(), name: 'First key' }
  const key = await graph.execute('CreateApiKey', { input }, callerOf(environment))
  return issued.parse(key).plaintext
}

function callerOf(environment: Environment): InternalCaller {
  const request = { requestId: newId('req'), traceId: '', address: null }
  return { ...request, kind: 'internal', role: 'admin', tokenId: 'cli', environment }
}
