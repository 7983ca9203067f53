import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import {
  type Environment,
  environmentNames,
  type InternalCaller,
} from '../../../schema/credentials/caller.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { writeSecretFile } from '../../config/secret-file.ts'
import { mintInternalToken, recordOf } from '../../internal/internal-token.ts'
import type { Gateway as WholeGateway } from '../../processes/all-in-one.ts'
import { completeHistory, writeBooks } from './demo-history.ts'
import { addFailingWebhook } from './demo-webhook.ts'

const credentials = z.object({
  account_id: z.string(),
  live_key: z.string(),
  sandbox_key: z.string(),
})
type Credentials = z.infer<typeof credentials>

/** The content of `DATA_DIR/demo.json` (docs/contract.md §1). */
export interface Demo extends Credentials {
  readonly base_url: string
  readonly sandbox_url: string
  readonly internal_url: string
  readonly internal_token: string
}

export interface SeededDemo {
  readonly demo: Demo
  readonly file: string
  /** Whether the keys of the account are new and therefore shown. */
  readonly isNew: boolean
  /** The balance in credits. */
  readonly balance: number
  /** The link that signs in to the console as the owner of the account, once; null without a console. */
  readonly consoleUrl: string | null
}

/** The parts of a gateway that the demo account needs. */
type Gateway = Omit<WholeGateway, 'close' | 'operatorUrl'>

const demoName = 'Demo'
const demoEmail = 'demo@example.com'
/** The credits for its first calls. */
const demoCredits = 10_000
const tokenTtlSeconds = 24 * 3600

interface DemoOptions {
  readonly dataDir: string
  readonly catalog: Catalog
  /** The longest lifetime of a token. */
  readonly maxTokenTtlSeconds: number
  /** Whether the console is on. */
  readonly hasConsole: boolean
}

/** Makes the demo account once; each start renews the addresses and the token in its file. */
export async function seedDemo(
  gateway: Gateway,
  { dataDir, catalog, maxTokenTtlSeconds, hasConsole }: DemoOptions,
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
  return {
    ...{ demo, file, isNew: earlier === null },
    balance: await balanceOf(gateway, found),
    consoleUrl: hasConsole ? await makeLink(gateway, found) : null,
  }
}

/** Reads the whole file: members that others have added stay. */
function readAll(file: string): object {
  return existsSync(file) ? z.looseObject({}).parse(JSON.parse(readFileSync(file, 'utf8'))) : {}
}

/** The token of an older file has expired, or will soon. */
async function mintToken(
  { graph, internalTokenKey }: Gateway,
  ttlSeconds: number,
): Promise<string> {
  const minted = await mintInternalToken(internalTokenKey, 'admin', ttlSeconds)
  const input = recordOf(minted, 'admin')
  await graph.execute('RecordInternalToken', { input }, callerOf('live'))
  return minted.token
}

/** Reads the keys of the account; null without keys, or when their database no longer exists. */
async function readCredentials({ graph }: Gateway, file: string): Promise<Credentials | null> {
  if (!existsSync(file)) return null
  const kept = credentials.parse(JSON.parse(readFileSync(file, 'utf8')))
  const account = await graph.execute('FindAccount', { id: kept.account_id }, callerOf('live'))
  return account === null ? null : kept
}

/**
 * Writes the usage log of the demo account with its customers, unless it is there. `seedDemo` leaves it
 * out, because nobody who calls has to wait for it.
 */
export async function completeDemo(
  gateway: Gateway,
  { catalog, demo, keyPrefix }: { catalog: Catalog; demo: Demo; keyPrefix: string },
): Promise<void> {
  const { account_id: accountId } = demo
  const { gatewaySecret } = gateway.store
  const ownerUrl = ownerUrlOf(gateway)
  const isNew = await completeHistory({ ownerUrl, catalog, accountId, keyPrefix })
  if (isNew) await addFailingWebhook({ ownerUrl, accountId, gatewaySecret, graph: gateway.graph })
}

function ownerUrlOf({ store }: Gateway): string {
  return store.databases.get('account')?.ownerUrl ?? ''
}

/**
 * Makes account, books, keys, and then the file. Each step is skipped if it was done before, so
 * the next start continues after a start that died. The last key of such a start stays unknown.
 */
async function makeDemo(gateway: Gateway, catalog: Catalog): Promise<Credentials | null> {
  const { graph } = gateway
  const accountId = await findOrOpen(graph)
  if (accountId === null) return null
  process.stderr.write('It writes a demo account with an invented history.\n')
  const ownerUrl = ownerUrlOf(gateway)
  await writeBooks({ ownerUrl, catalog, accountId, closingBalance: demoCredits })
  return {
    account_id: accountId,
    live_key: await issueKey(graph, accountId, 'live'),
    sandbox_key: await issueKey(graph, accountId, 'sandbox'),
  }
}

async function balanceOf({ graph }: Gateway, { account_id: id }: Credentials): Promise<number> {
  const account = await graph.execute('ShowAccount', { id }, callerOf('live'))
  return account?.balance ?? 0
}

async function makeLink({ graph }: Gateway, { account_id: accountId }: Credentials) {
  const input = { accountId, environment: 'LIVE', role: 'OWNER', actor: 'demo' } as const
  return (await graph.execute('CreatePortalLink', { input }, callerOf('live'))).url
}

type Graph = Gateway['graph']

/** Finds the demo account, or opens one; null for an account that is no longer active. */
async function findOrOpen(graph: Graph): Promise<string | null> {
  const search = { first: 100, search: demoEmail }
  const { nodes } = await graph.execute('ListAccounts', search, callerOf('live'))
  const demo = nodes.findLast(({ name, email }) => name === demoName && email === demoEmail)
  if (demo) return demo.status === 'ACTIVE' ? demo.id : null
  const input = {
    name: demoName,
    email: demoEmail,
    tier: 'PROFESSIONAL',
    subscriptionTier: 'pro_sub',
    addons: ['MASS_MAIL', 'RANK_TRACKING'],
    // The whole balance of the demo account comes from its invented books.
    credits: 0,
  } as const
  const { account } = await graph.execute('OpenAccount', { input }, callerOf('live'))
  return account.id
}

async function issueKey(
  graph: Graph,
  accountId: string,
  environment: Environment,
): Promise<string> {
  const input = { accountId, environment: environmentNames[environment], name: 'First key' }
  const key = await graph.execute('CreateApiKey', { input }, callerOf(environment))
  return key.plaintext
}

function callerOf(environment: Environment): InternalCaller {
  const request = { requestId: newId('req'), traceId: '', address: null }
  return { ...request, kind: 'internal', role: 'admin', tokenId: 'cli', environment }
}
