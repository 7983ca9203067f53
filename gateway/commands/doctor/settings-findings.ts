import { exampleSeller, priceList } from '../../../subgraphs/account/prices/price-list.ts'
import type { InspectedConfig, KnownConfig } from '../../config/config.ts'
import { passkeysOf } from '../../config/passkeys.ts'
import { simulatesLive } from '../../config/subgraph-settings.ts'
import { mailbox } from '../../config/variables/mail-settings.ts'
import { type Finding, found } from './finding.ts'

/** A refused value of these variables is unsafe; of any other variable it is a mistake. */
const unsafeVariable =
  /^(GATEWAY_SECRET|TRUST_PROXY|BASE_URL|SANDBOX_BASE_URL|WEBHOOK_ALLOW_LOOPBACK|PAYMENTS|CALLER_KEYS_FILE|KEY_CACHE_SECONDS|OPERATOR_OIDC_ISSUER|OPERATOR_ROLES) /
const missing = /^([A-Z0-9_]+( or [A-Z0-9_]+)*) is required /

/** Everything that the start would refuse, with its error texts. */
export function refusedFindings({ problems }: InspectedConfig): readonly Finding[] {
  return problems.map((problem) => {
    const [about = '', ...words] = problem.split(' ')
    const isMissing = missing.test(problem)
    const level = isMissing ? 'missing' : unsafeVariable.test(problem) ? 'unsafe' : 'wrong'
    return found(level, about, words.join(' '))
  })
}

/** Whether the value is set, in the variable or in a file. */
type IsGiven = (name: string) => boolean

/** The configured values and their meaning, without any probe. */
export function settingsFindings(
  known: KnownConfig,
  role: string,
  isGiven: IsGiven,
): readonly Finding[] {
  return [
    ...storeFindings(known),
    ...addressFindings(known),
    ...paymentFindings(known, role),
    ...sellerFindings(known, role),
    ...returnFindings(known, role),
    ...agentFindings(known, role),
    ...passkeyFindings(known, role),
    ...reachFindings(known, isGiven),
    ...exportFindings(known),
    ...mailFindings(known, role),
  ]
}

function storeFindings({ databases, GATEWAY_SECRET, DATA_DIR = '.data', ...known }: KnownConfig) {
  const isEmbedded = databases.size === 0
  const callerKeys = known.CALLER_KEYS_FILE !== undefined
  return [
    ...(isEmbedded
      ? [found('note', 'DATABASE_URL', `not set: PostgreSQL is embedded, in ${DATA_DIR}`)]
      : []),
    ...(GATEWAY_SECRET !== undefined ? [found('ok', 'GATEWAY_SECRET', 'set, and random')] : []),
    ...(GATEWAY_SECRET === undefined && isEmbedded
      ? [found('note', 'GATEWAY_SECRET', `not set: generated into ${DATA_DIR}`)]
      : []),
    callerKeys
      ? found('ok', 'CALLER_KEYS_FILE', 'usable')
      : found('note', 'CALLER_KEYS_FILE', 'not set: callers are sealed with GATEWAY_SECRET'),
  ]
}

function addressFindings({ databases, ...known }: KnownConfig): readonly Finding[] {
  const isTriedOut = databases.size === 0
  return (['BASE_URL', 'SANDBOX_BASE_URL'] as const).flatMap((name) => {
    const url = known[name]
    if (url?.startsWith('https:')) return [found('ok', name, url)]
    // A value that cannot be parsed is among the refused ones.
    if (url !== undefined) return [found('note', name, `${url}: only this machine can reach it`)]
    const message = 'not set: links and tokens name the port of this process'
    return [found(isTriedOut ? 'ok' : 'note', name, message)]
  })
}

const collectsPayments = new Set(['all', 'account', 'worker'])

function paymentFindings(known: KnownConfig, role: string): readonly Finding[] {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET, databases } = known
  if (!collectsPayments.has(role)) return []
  if (simulatesLive(known)) {
    if (databases.size === 0) {
      const message = 'live payments are simulated, as always when embedded: nobody pays'
      return [found('note', 'PAYMENTS', message)]
    }
    const message = 'simulated: anybody with a live key gets credits without a payment'
    return [found('unsafe', 'PAYMENTS', message)]
  }
  if (key === undefined || STRIPE_WEBHOOK_SECRET === undefined) return []
  if (/^[rs]k_test_/.test(key)) {
    const message = "a key of Stripe's test mode: test cards buy live credits"
    return [found('unsafe', 'STRIPE_SECRET_KEY', message)]
  }
  return [found('ok', 'PAYMENTS', 'Stripe collects live payments')]
}

/** Tells which seller paid invoices name. */
function sellerFindings({ databases }: KnownConfig, role: string): readonly Finding[] {
  if (!collectsPayments.has(role) || databases.size === 0) return []
  const { seller } = priceList
  if (seller === null) return [found('note', 'seller', 'not set: invoices name no seller')]
  if (seller.name !== exampleSeller) return [found('ok', 'seller', seller.name)]
  const message = 'the example: write into price-list.yaml who sells, before you sell anything'
  return [found('note', 'seller', message)]
}

const leadsBack = new Set(['all', 'account', 'oauth', 'worker'])

function returnFindings({ RETURN_ORIGINS = [], databases }: KnownConfig, role: string) {
  // A person who only tries the gateway has no own pages for payers to return to.
  if (!leadsBack.has(role) || databases.size === 0) return []
  const message = 'not set: payers and people in the console come back to this gateway alone'
  const where = RETURN_ORIGINS.join(', ')
  return RETURN_ORIGINS.length > 0
    ? [found('ok', 'RETURN_ORIGINS', where)]
    : [found('note', 'RETURN_ORIGINS', message)]
}

const registersApps = new Set(['all', 'oauth'])

function agentFindings(
  { MCP = 'on', OAUTH_DYNAMIC_REGISTRATION: mayRegister = 'on' }: KnownConfig,
  role: string,
) {
  if (!registersApps.has(role)) return []
  const about = 'OAUTH_DYNAMIC_REGISTRATION'
  if (MCP === 'off') return [found('ok', 'MCP', 'off: there are no tools for agents')]
  return mayRegister === 'on'
    ? [found('note', about, 'on: any agent may register itself, and ask people for the tools')]
    : [found('ok', about, 'off: agents need a document, or an account that registers them')]
}

function passkeyFindings(known: KnownConfig, role: string): readonly Finding[] {
  if (!registersApps.has(role)) return []
  const { BASE_URL = known.databases.size === 0 ? 'http://localhost' : 'http://127.0.0.1' } = known
  const passkeys = passkeysOf(known, BASE_URL)
  if (passkeys.rpId !== null) return [found('ok', 'PASSKEY_RP_ID', passkeys.rpId)]
  return [found('note', 'PASSKEY_RP_ID', passkeys.because)]
}

function isLoopback(host: string): boolean {
  return ['localhost', '127.0.0.1', '::1'].includes(host)
}

function reachFindings(known: KnownConfig, isGiven: IsGiven): readonly Finding[] {
  const { TRUST_PROXY, INTERNAL_HOST = '127.0.0.1', REDIS_URL, WEBHOOK_ALLOW_LOOPBACK } = known
  const isTrusting = TRUST_PROXY !== undefined && TRUST_PROXY !== false
  const hasToken = isGiven('METRICS_TOKEN')
  return [
    isTrusting
      ? found('ok', 'TRUST_PROXY', 'client addresses come from the proxies that it names')
      : found('note', 'TRUST_PROXY', 'false: behind a proxy, all clients seem to have its address'),
    ...(isLoopback(INTERNAL_HOST)
      ? []
      : [found('note', 'INTERNAL_HOST', 'not on loopback: only a private network may reach it')]),
    hasToken
      ? found('ok', 'METRICS_TOKEN', 'set')
      : found(
          'note',
          'METRICS_TOKEN',
          'not set: anybody who reaches the internal port reads the metrics',
        ),
    ...(REDIS_URL
      ? []
      : [found('note', 'REDIS_URL', 'not set: each process counts rate limits for itself')]),
    ...(WEBHOOK_ALLOW_LOOPBACK === 'true'
      ? [found('note', 'WEBHOOK_ALLOW_LOOPBACK', 'true: webhooks may reach this machine')]
      : []),
  ]
}

function exportFindings({ EXPORT_DIR, EXPORT_S3_URL }: KnownConfig): readonly Finding[] {
  if (EXPORT_S3_URL !== undefined) return []
  const where = EXPORT_DIR === undefined ? 'DATA_DIR' : 'a directory'
  const message = `exports are kept in ${where}: for gateways on one host`
  return [found('note', 'EXPORT_DIR', message)]
}

const sendsMails = new Set(['all', 'account', 'worker'])

function mailFindings(known: KnownConfig, role: string): readonly Finding[] {
  const { SMTP_URL, MAIL_FROM, databases } = known
  if (!sendsMails.has(role)) return []
  if (SMTP_URL === undefined) {
    return [found('note', 'SMTP_URL', 'not set: nobody is told of events by mail')]
  }
  if (SMTP_URL === mailbox) {
    const message = 'mailbox: no mail leaves; everybody on this machine can read all mails'
    return [found(databases.size === 0 ? 'note' : 'unsafe', 'SMTP_URL', message)]
  }
  return MAIL_FROM === undefined
    ? [found('note', 'MAIL_FROM', 'not set: mails come from no-reply@ and the host of BASE_URL')]
    : [found('ok', 'MAIL_FROM', MAIL_FROM.address)]
}
