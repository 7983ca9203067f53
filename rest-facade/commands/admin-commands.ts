import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { InternalRole } from '../../schema/credentials/caller.ts'
import type { PersonRole } from '../../schema/vocabulary/roles.ts'
import { addressesOf } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { internalTokenKeyOf } from '../config/internal-settings.ts'
import { ApiError } from '../http/errors.ts'
import { budgetTexts } from '../http/fields/budgets.ts'
import { mintInternalToken, recordOf } from '../internal/internal-token.ts'
import { migrateDatabases, pendingOfDatabases } from '../launch/databases/migrations.ts'
import { workerUrlsOf } from '../launch/databases/store.ts'
import { deadJobs, retryDeadJobs } from '../launch/supergraph/jobs.ts'
import { type AuditBreak, verifyAuditChains } from '../upkeep/verify-audit-chains.ts'
import { findLogDrifts, type LogDrift } from '../usage-log/compare-with-ledger.ts'
import { type RepairSpan, repairUsage } from '../usage-log/usage-repair.ts'
import { execute, type Output, ownUrls, print, warn, withGraph, withStore } from './ask-database.ts'

/** Migrates; with `check` it only lists the pending steps, and fails if there are any. */
export async function runMigrate(
  config: Config,
  { check, ...output }: Output & { check?: boolean },
): Promise<void> {
  if (check) return checkMigrations(config, output)
  const applied = await withStore(config, ({ databases }) => migrateDatabases(databases, warn))
  print({ status: 'up to date', applied }, output)
}

async function checkMigrations(config: Config, output: Output): Promise<void> {
  const pending = await withStore(config, ({ databases }) => pendingOfDatabases(databases))
  print({ status: pending.length > 0 ? 'behind' : 'up to date', pending }, output)
  if (pending.length > 0) process.exitCode = 1
}

interface CreateAccountOptions extends Output {
  readonly name: string
  readonly email: string
  readonly tier: string
  readonly subscriptionTier?: string
  readonly credits: number
}

const createdAccount = z.object({
  account: z.object({ id: z.string() }),
  liveKey: z.string(),
  sandboxKey: z.string(),
})

export async function createAccount(
  config: Config,
  { json, name, email, tier, subscriptionTier, credits }: CreateAccountOptions,
): Promise<void> {
  const input = { name, email, tier, subscriptionTier, credits }
  const created = createdAccount.parse(await execute(config, 'CreateAccount', { input }))
  const { account, liveKey, sandboxKey } = created
  print({ account_id: account.id, live_key: liveKey, sandbox_key: sandboxKey }, { json })
}

const accountPage = z.object({
  nodes: z.array(
    z.looseObject({ id: z.string(), name: z.string(), tier: z.string(), balance: z.number() }),
  ),
})

export async function listAccounts(
  config: Config,
  { json, search, limit }: Output & { search?: string; limit: number },
): Promise<void> {
  const { nodes } = accountPage.parse(
    await execute(config, 'ListAccounts', { first: limit, search }),
  )
  if (json) return print(nodes, { json })
  for (const { id, name, tier, balance } of nodes) {
    print({ [id]: `${name}, ${tier}, ${balance} credits` }, {})
  }
}

export async function showAccount(config: Config, id: string, output: Output): Promise<void> {
  const account = await execute(config, 'ShowAccount', { id })
  if (!account) throw new ApiError('NOT_FOUND', 'No account has this id.')
  print(account, output)
}

interface GrantOptions extends Output {
  readonly account: string
  readonly credits: number
  readonly reason: string
  readonly idempotencyKey: string
  readonly expiresAt?: string
  readonly priority?: number
}

export async function grantCredits(
  config: Config,
  { json, account: accountId, ...grant }: GrantOptions,
): Promise<void> {
  const { credits, reason, idempotencyKey, expiresAt, priority } = grant
  const input = { accountId, credits, reason, idempotencyKey, expiresAt, priority }
  print(Object(await execute(config, 'GrantCredits', { input })), { json })
}

interface AdjustOptions extends GrantOptions {
  readonly allowNegative?: boolean
}

export async function adjustCredits(
  config: Config,
  { json, account: accountId, ...adjustment }: AdjustOptions,
): Promise<void> {
  const { credits, reason, idempotencyKey, allowNegative } = adjustment
  const input = { accountId, credits, reason, idempotencyKey, allowNegative }
  print(Object(await execute(config, 'AdjustCredits', { input })), { json })
}

interface RefundOptions extends Output {
  readonly account: string
  readonly request: string
  readonly reason: string
  readonly idempotencyKey: string
}

export async function refundCharge(
  config: Config,
  { json, account: accountId, request: requestId, reason, idempotencyKey }: RefundOptions,
): Promise<void> {
  const input = { accountId, requestId, reason, idempotencyKey }
  print(Object(await execute(config, 'RefundCharge', { input })), { json })
}

interface RefundPaymentOptions extends Output {
  readonly cents?: number
  readonly reason: string
  readonly idempotencyKey?: string
}

/** Stores the refund; a running gateway asks the provider for it. */
export async function refundPayment(
  config: Config,
  paymentId: string,
  { json, cents, reason, idempotencyKey }: RefundPaymentOptions,
): Promise<void> {
  const usualKey = createHash('sha256').update(JSON.stringify([paymentId, cents, reason]))
  const key = idempotencyKey ?? `command:${usualKey.digest('hex')}`
  const input = { paymentId, amountCents: cents, reason, idempotencyKey: key }
  print(Object(await execute(config, 'RefundPayment', { input })), { json })
}

const ledgerAudit = z.object({
  entries: z.number(),
  balances: z.number(),
  drifts: z.array(z.record(z.string(), z.unknown())),
})

/** Verifies the ledger, and the usage log against it; the command fails on a difference. */
export async function verifyLedger(
  config: Config,
  { json, settlingTime }: Output & { settlingTime: number },
): Promise<void> {
  const { entries, balances, drifts } = await withGraph(config, async (ask) => {
    const audit = ledgerAudit.parse(await ask('AuditLedger', {}))
    // Only the ledger has entries that the log no longer keeps.
    const since = z.nullable(z.string()).parse(await ask('GetUsageLogKeptSince', {}))
    const fromMs = since === null ? 0 : Date.parse(since)
    const ofLog = await findLogDrifts(ask, { fromMs, settlingSeconds: settlingTime })
    return { ...audit, drifts: [...audit.drifts, ...ofLog.map(toLogDriftRow)] }
  })
  if (json) print({ entries, balances, drifts }, { json })
  else {
    for (const drift of drifts) print(drift, {})
    print({ entries, balances, drifts: drifts.length }, {})
  }
  if (drifts.length > 0) process.exitCode = 1
}

function toLogDriftRow({ accountId, requestId, ...drift }: LogDrift): Record<string, unknown> {
  return { account_id: accountId, request_id: requestId, ...drift }
}

/** JSON holds at most this number; the text has all. */
const maxBreaks = 1000

/** Verifies every chain of the audit trail; the command fails if one is broken. */
export async function verifyAudit(config: Config, { json }: Output): Promise<void> {
  const breaks: AuditBreak[] = []
  let broken = 0
  const { chains, events, heads } = await withGraph(config, (ask) =>
    verifyAuditChains(ask, (found) => {
      broken += 1
      if (!json) print(found, {})
      else if (broken <= maxBreaks) breaks.push(found)
    }),
  )
  print({ chains, events, broken, ...(json && { breaks, heads }) }, { json })
  if (broken > 0) process.exitCode = 1
}

const usageAudit = z.object({
  entries: z.number(),
  drifts: z.array(z.record(z.string(), z.unknown())),
})

/** Sums the usage log again; the command fails if its stored sums differ. */
export async function verifyUsage(config: Config, { json }: Output): Promise<void> {
  const { entries, drifts } = usageAudit.parse(await execute(config, 'AuditUsage', {}))
  if (json) print({ entries, drifts }, { json })
  else {
    for (const drift of drifts) print(drift, {})
    print({ entries, drifts: drifts.length }, {})
  }
  if (drifts.length > 0) process.exitCode = 1
}

/** Adds the entries of older releases to the sums that those releases did not have. */
export async function runUsageRepair(
  config: Config,
  { json, from, to }: Output & RepairSpan,
): Promise<void> {
  print(await withGraph(config, (ask) => repairUsage(ask, { from, to })), { json })
}

/** Jobs that failed too often, with the reason. */
export async function listDeadJobs(config: Config, { json }: Output): Promise<void> {
  const letters = await withStore(config, ({ databases }) =>
    Promise.all(workerUrlsOf(databases).map(deadJobs)),
  )
  const rows = letters.flat().map(({ failedAt, ...letter }) => ({ ...letter, failed_at: failedAt }))
  if (json) return print(rows, { json })
  for (const row of rows) print(row, {})
  print({ jobs: rows.length }, {})
}

export async function retryJobs(
  config: Config,
  { json, operation }: Output & { operation?: string },
): Promise<void> {
  const counts = await withStore(config, ({ databases }) =>
    Promise.all(workerUrlsOf(databases).map((url) => retryDeadJobs(url, operation))),
  )
  print({ retried: counts.reduce((sum, count) => sum + count, 0) }, { json })
}

interface CreateKeyOptions extends Output {
  readonly account: string
  readonly name: string
  readonly environment: 'live' | 'sandbox'
  readonly scopes?: string[]
  readonly ipAllowlist?: string[]
  readonly expiresAt?: string
  readonly externalId?: string
  readonly budgets: readonly object[]
}

/** The budgets of texts such as `day:500`, and the mistakes in invalid texts. */
export function parseBudgets(texts: readonly string[]) {
  const parsed = budgetTexts.safeParse(texts.join(','))
  return {
    budgets: (parsed.data ?? []).map((budget) => ({
      ...budget,
      period: budget.period.toUpperCase(),
    })),
    problems: parsed.error?.issues.map(({ message }) => message) ?? [],
  }
}

const createdKey = z.object({ apiKey: z.object({ id: z.string() }), plaintext: z.string() })

export async function createKey(
  config: Config,
  { json, account: accountId, environment, ...rest }: CreateKeyOptions,
): Promise<void> {
  const { name, scopes, ipAllowlist, expiresAt, externalId, budgets } = rest
  const input = {
    accountId,
    environment: environment.toUpperCase(),
    name,
    scopes,
    ipAllowlist,
    expiresAt,
    externalId,
    budgets,
  }
  const created = createdKey.parse(await execute(config, 'CreateApiKey', { input }))
  print({ key_id: created.apiKey.id, plaintext: created.plaintext }, { json })
}

export async function revokeKey(config: Config, id: string, output: Output): Promise<void> {
  print(Object(await execute(config, 'RevokeApiKey', { id })), output)
}

interface PortalLinkOptions extends Output {
  readonly account: string
  readonly role: PersonRole
  readonly environment: 'live' | 'sandbox'
  readonly actor: string
  readonly returnUrl?: string
}

/** Prints a link that signs a person in to the console, once. */
export async function linkPortal(
  config: Config,
  { json, account: accountId, environment, role, actor, returnUrl }: PortalLinkOptions,
): Promise<void> {
  const baseUrl = addressesOf(config, ownUrls(config)).baseUrls[environment]
  if (new URL(baseUrl).port === '0') {
    const name = environment === 'live' ? 'BASE_URL' : 'SANDBOX_BASE_URL'
    throw new ApiError('INVALID_REQUEST', `${name} must be set: the gateway chose a free port.`)
  }
  const input = { accountId, environment: environment.toUpperCase(), role, actor, returnUrl }
  print(Object(await execute(config, 'CreatePortalLink', { input })), { json })
}

const nextKeys = z.array(
  z.object({
    use: z.enum(['OPENID', 'BACKENDS']),
    environment: z.string(),
    kid: z.string(),
    activates_at: z.string(),
  }),
)

interface RotateOptions extends Output {
  readonly use: 'all' | 'openid' | 'backends'
  readonly force?: boolean
  readonly emergency?: boolean
}

/** Prints the next signing key of each environment and its start; keys for backends separately. */
export async function rotateSigningKeys(
  config: Config,
  { json, use, force = false, emergency = false }: RotateOptions,
): Promise<void> {
  const uses = use === 'all' ? ['OPENID', 'BACKENDS'] : [use.toUpperCase()]
  const answer = await execute(config, 'RotateSigningKeys', { uses, force, emergency })
  const keys = nextKeys.parse(answer)
  const rowsOf = (wanted: string) =>
    keys
      .filter((key) => key.use === wanted)
      .map(({ environment, kid, activates_at }) => [environment, { kid, activates_at }])
  const backends = Object.fromEntries(rowsOf('BACKENDS'))
  print(
    { ...Object.fromEntries(rowsOf('OPENID')), ...(use === 'openid' ? {} : { backends }) },
    { json },
  )
}

const usualTtlSeconds = 3600

/** Prints a token once: the gateway stores only its id. */
export async function mintToken(
  config: Config,
  { json, role, ttl }: Output & { role: InternalRole; ttl?: number },
): Promise<void> {
  const maxTtl = config.INTERNAL_TOKEN_MAX_TTL
  if (ttl !== undefined && ttl > maxTtl) {
    const message = `--ttl must be at most ${maxTtl} seconds: INTERNAL_TOKEN_MAX_TTL says so.`
    throw new ApiError('INVALID_REQUEST', message)
  }
  const { token, expiresAt } = await withGraph(config, async (ask, gatewaySecret) => {
    const key = internalTokenKeyOf(gatewaySecret)
    const minted = await mintInternalToken(key, role, ttl ?? Math.min(usualTtlSeconds, maxTtl))
    await ask('RecordInternalToken', { input: recordOf(minted, role) })
    return minted
  })
  print({ token, expires_at: expiresAt }, { json })
}

const tokenPage = z.object({
  nodes: z.array(z.record(z.string(), z.unknown())),
  pageInfo: z.object({ endCursor: z.nullable(z.string()), hasNextPage: z.boolean() }),
})

/** Lists tokens that have not expired, newest first. */
export async function listTokens(config: Config, { json }: Output): Promise<void> {
  const rows = await withGraph(config, async (ask) => {
    const found: Record<string, unknown>[] = []
    let after: string | null = null
    do {
      const { nodes, pageInfo }: z.infer<typeof tokenPage> = tokenPage.parse(
        await ask('ListInternalTokens', { first: 200, after }),
      )
      found.push(...nodes)
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    } while (after !== null)
    return found
  })
  if (json) return print(rows, { json })
  for (const row of rows) print(row, {})
  print({ tokens: rows.length }, {})
}

export async function revokeToken(config: Config, id: string, output: Output): Promise<void> {
  print(Object(await execute(config, 'RevokeInternalToken', { id })), output)
}
