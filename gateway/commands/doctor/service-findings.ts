import { setTimeout as sleep } from 'node:timers/promises'
import { probeSmtp } from '../../../subgraphs/account/notifications/sender/smtp-sender.ts'
import { otherRpIds } from '../../../subgraphs/oauth/passkeys/other-rp-ids.ts'
import { workerRole } from '../../../subgraphs/shared/database/sessions.ts'
import { mayWork, reasonsAgainst } from '../../../subgraphs/shared/database/unsafe-database.ts'
import { localUrl } from '../../config/addresses.ts'
import type { KnownConfig } from '../../config/config.ts'
import type { DatabaseUrls } from '../../config/database-urls.ts'
import { passkeysOf } from '../../config/passkeys.ts'
import { subgraphNames } from '../../config/role-names.ts'
import { mailbox } from '../../config/variables/mail-settings.ts'
import { requireCurrentDatabases } from '../../launch/databases/migrations.ts'
import { discoveryFailure, issuerFinder } from '../../operator/oidc/issuer.ts'
import { redisClient } from '../../processes/redis/client.ts'
import type { RedisAddress } from '../../processes/redis/redis-address.ts'
import { runningUrls } from '../../trial/demo/running-gateway.ts'
import { findRunningServer } from '../../trial/embedded-postgres/embedded-postgres.ts'
import { type Finding, found, type Level } from './finding.ts'

const patienceMs = 2000

/** Returns the findings of a probe; without an answer in two seconds, the level is `silent`. */
async function ask(
  about: string,
  work: () => Promise<readonly Finding[]>,
  silent: Level = 'missing',
): Promise<readonly Finding[]> {
  const waiting = new AbortController()
  const late = sleep(patienceMs, null, { signal: waiting.signal }).catch(() => null)
  try {
    const answer = await Promise.race([work(), late])
    return answer ?? [found(silent, about, 'no answer within 2 s')]
  } catch (error) {
    return [found(silent, about, `no answer: ${reasonOf(error)}`)]
  } finally {
    waiting.abort()
  }
}

/** The reason of a failed probe. It never repeats the request, because an address could hold a password. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  const inner = cause instanceof Error ? cause : error
  return 'code' in inner ? String(inner.code) : inner.name
}

/** Probes everything that the configuration names, in parallel. */
export async function serviceFindings(
  known: KnownConfig,
  role: string,
  modules: readonly string[],
): Promise<readonly Finding[]> {
  const answers = await Promise.all([
    ...askDatabases(known),
    ...askWorkers(known, role),
    ...askSubgraphs(known),
    ...askBackends(known, role, modules),
    ...(known.REDIS_URL ? [askRedis(known.REDIS_URL)] : []),
    ...askBuckets(known),
    askStripe(known),
    askMailServer(known),
    askIssuer(known),
    askPasskeys(known),
    askItself(known),
  ])
  return answers.flat()
}

function askDatabases({ databases, DATA_DIR = '.data' }: KnownConfig) {
  if (databases.size === 0) return [ask('DATABASE_URL', () => askEmbedded(DATA_DIR), 'note')]
  const byUrl = Map.groupBy(databases, ([, { serviceUrl }]) => serviceUrl)
  return [...byUrl].map(([url, sharing]) => {
    const names = sharing.map(([name]) => `${name.toUpperCase()}_DATABASE_URL`)
    return askDatabase(byUrl.size === 1 ? 'DATABASE_URL' : names.join(', '), url, new Map(sharing))
  })
}

async function askDatabase(
  about: string,
  url: string,
  databases: ReadonlyMap<string, DatabaseUrls>,
): Promise<readonly Finding[]> {
  const answer = await ask(about, async () => {
    const reasons = await reasonsAgainst(url)
    if (reasons.length === 0) return [found('ok', about, 'answers, and is safe')]
    return reasons.map((reason) => found('unsafe', about, reason))
  })
  if (answer.some(({ level }) => level === 'missing')) return answer
  return [...answer, ...(await ask(`schema of ${about}`, () => askSchema(about, databases)))]
}

const worksOffJobs = new Set(['all', 'worker'])

/** Whether jobs can run. A database that does not answer is already among the findings. */
function askWorkers({ databases }: KnownConfig, role: string) {
  if (!worksOffJobs.has(role)) return []
  return [...new Set([...databases.values()].map(({ workerUrl }) => workerUrl))].map((url) => {
    const { username, host } = new URL(url)
    const about = `jobs of ${username} at ${host}`
    return ask(about, async () => {
      if (await mayWork(url)) return [found('ok', about, `may become ${workerRole}`)]
      const message = `may not become ${workerRole}: GRANT ${workerRole} TO "${username}"`
      return [found('missing', about, message)]
    })
  })
}

async function askSchema(
  about: string,
  databases: ReadonlyMap<string, DatabaseUrls>,
): Promise<readonly Finding[]> {
  try {
    await requireCurrentDatabases(databases)
    return [found('ok', `schema of ${about}`, 'up to date')]
  } catch (error) {
    const isBehind = error instanceof Error && error.name === 'SchemaBehind'
    if (!isBehind) throw error
    return [found('missing', `schema of ${about}`, 'behind: run gateway migrate')]
  }
}

async function askEmbedded(folder: string): Promise<readonly Finding[]> {
  const running = await findRunningServer(folder)
  if (!running) return [found('note', 'embedded PostgreSQL', 'stopped')]
  const databases = new Map(subgraphNames.map((name) => [name, running]))
  return askSchema('embedded PostgreSQL, which runs', databases)
}

function askSubgraphs({ subgraphUrls }: KnownConfig) {
  return [...subgraphUrls].flatMap(([name, urls]) =>
    urls.map((url) => {
      const about = `${name.toUpperCase()}_SUBGRAPH_URL ${new URL(url).host}`
      return ask(about, async () => {
        const { ok } = await get(`${new URL(url).origin}/ready`)
        return [ok ? found('ok', about, 'ready') : found('missing', about, 'not ready')]
      })
    }),
  )
}

const callsBackends = new Set(['all', 'facade'])

function askBackends(
  { backendUrls, databases }: KnownConfig,
  role: string,
  modules: readonly string[],
) {
  if (!callsBackends.has(role)) return []
  const isTriedOut = role === 'all' && databases.size === 0
  return modules.map((module) => {
    const about = `BACKEND_${module.toUpperCase().replaceAll('-', '_')}_URL`
    const url = backendUrls.get(module)
    if (url !== undefined) return ask(about, () => askBackend(about, url))
    const message = isTriedOut
      ? 'not set: the simulator answers'
      : 'not set: live calls of the module are 503, and cost nothing'
    return Promise.resolve([found('note', about, message)])
  })
}

async function askBackend(about: string, url: string): Promise<readonly Finding[]> {
  const response = await get(`${url.replace(/\/+$/, '')}/health`)
  if (response.headers.get('x-simulator') !== null) {
    const message = 'the simulator: live calls are charged for invented answers'
    return [found('unsafe', about, message)]
  }
  const { status } = response
  return [
    status < 400
      ? found('ok', about, 'answers')
      : found('note', about, `answers /health with ${status}`),
  ]
}

function askRedis(address: RedisAddress): Promise<readonly Finding[]> {
  const redis = redisClient(address)
  redis.on('error', () => {})
  const until = performance.now() + patienceMs
  return ask('REDIS_URL', async () => {
    while (redis.status !== 'ready' && performance.now() < until) await sleep(20)
    await redis.ping()
    return [found('ok', 'REDIS_URL', 'answers')]
  }).finally(() => redis.disconnect())
}

function askBuckets(known: KnownConfig) {
  return (['EXPORT_S3_URL', 'DIGEST_S3_URL'] as const).flatMap((about) => {
    const { [about]: bucket } = known
    if (!bucket) return []
    return ask(about, async () => {
      await get(bucket.endpoint)
      return [found('ok', about, 'answers')]
    })
  })
}

async function askStripe(known: KnownConfig): Promise<readonly Finding[]> {
  const { PAYMENTS, STRIPE_SECRET_KEY: key, STRIPE_API_URL: api } = known
  if (key === undefined || PAYMENTS === 'simulated') return []
  return ask('Stripe', async () => {
    const origin = new URL(api ?? 'https://api.stripe.com').origin
    const { status } = await get(`${origin}/v1/balance`, { authorization: `Bearer ${key}` })
    if (status !== 401) return [found('ok', 'Stripe', 'answers')]
    return [found('wrong', 'STRIPE_SECRET_KEY', 'Stripe does not know this key')]
  })
}

async function askMailServer({ SMTP_URL: url }: KnownConfig): Promise<readonly Finding[]> {
  if (url === undefined || url === mailbox) return []
  return ask('SMTP_URL', async () => {
    await probeSmtp(url)
    return [found('ok', 'SMTP_URL', 'answers, and takes the login')]
  })
}

/** Whether the issuer at which operators sign in is what it is configured as. */
async function askIssuer(known: KnownConfig): Promise<readonly Finding[]> {
  const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_CLIENT_ID: clientId = '' } = known
  const { OPERATOR_OIDC_CLIENT_SECRET: clientSecret = '' } = known
  if (issuer === undefined) return []
  const about = 'OPERATOR_OIDC_ISSUER'
  return ask(about, async () => {
    try {
      await issuerFinder({ issuer, clientId, clientSecret })()
      return [found('ok', about, `${issuer} answers, and is the issuer`)]
    } catch (error) {
      const { kind, reason } = discoveryFailure(error)
      return kind === 'refused'
        ? [found('wrong', about, `is not what its discovery says: ${reason}`)]
        : [found('missing', about, `no discovery: ${reason}`)]
    }
  })
}

/** Browsers offer a passkey to the id that it was made for, and to no other. */
async function askPasskeys(known: KnownConfig): Promise<readonly Finding[]> {
  const { databases, BASE_URL: baseUrl } = known
  const url = databases.get('oauth')?.serviceUrl
  if (url === undefined || baseUrl === undefined) return []
  const about = 'PASSKEY_RP_ID'
  const { rpId } = passkeysOf(known, baseUrl)
  return ask(about, async () => {
    const others = await otherRpIds(url, rpId ?? '', patienceMs)
    if (others.length === 0) return []
    const message = `people have passkeys for ${others.join(', ')}: they cannot sign in with them here`
    return [found('wrong', about, message)]
  })
}

/** Whether a gateway already runs here, which is no requirement. */
async function askItself(known: KnownConfig): Promise<readonly Finding[]> {
  const { databases, DATA_DIR = '.data' } = known
  const { INTERNAL_HOST = '127.0.0.1', INTERNAL_PORT = 4000 } = known
  const running = databases.size === 0 ? await runningUrls(DATA_DIR) : null
  if (!running && INTERNAL_PORT === 0) return []
  const url = running?.internal ?? localUrl(INTERNAL_HOST, INTERNAL_PORT)
  const about = `gateway at ${url}`
  try {
    const { ok } = await get(`${url}/ready`)
    return [found('note', about, ok ? 'runs, and is ready' : 'runs, and is not ready')]
  } catch {
    return [found('note', about, 'does not run')]
  }
}

async function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const signal = AbortSignal.timeout(patienceMs)
  const response = await fetch(url, { headers, signal, redirect: 'manual' })
  await response.body?.cancel()
  return response
}
