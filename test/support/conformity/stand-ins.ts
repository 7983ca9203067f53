import { defaultAddresses } from '../../../schema/vocabulary/default-addresses.ts'

/** The instant that replaces the time of recording. */
const madeAtMs = Date.parse('2026-01-15T09:30:00.000Z')
const hourMs = 3_600_000

/** Members whose values differ between runs and have no recognisable form. */
const byMember: Readonly<Record<string, unknown>> = {
  latency_ms: 12,
  uptime_seconds: 3600,
  trace_id: '0af7651916cd43dd8448eb211c80319c',
  next_cursor: 'AQEAAAGbwJ2wQGtleV8wMWs5eDR2MmU1bjhwMHEzcjVzN3Q5dzF5MA',
  client_id_issued_at: madeAtMs / 1000,
  updated_at: madeAtMs / 1000,
  auth_time: madeAtMs / 1000,
  iat: madeAtMs / 1000,
  exp: madeAtMs / 1000 + 3600,
  kid: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  y: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  last4: 'MPLE',
  key_last4: 'MPLE',
}

/** Texts of a known form, at any place. The placeholders are useless to anyone who copies them. */
const byForm: readonly (readonly [RegExp, string])[] = [
  [/\b(svc_(?:live|test)_)[0-9A-Za-z]{39}\b/g, `$1${'0'.repeat(32)}EXAMPLE`],
  [/\b(svc_(?:oac|oat|ort|ocs|osn|opl|ohc)_)[\w-]{43}/g, `$1${'0'.repeat(36)}EXAMPLE`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJleGFtcGxlIn0.RVhBTVBMRQ'],
  [/\bhttp:\/\/127\.0\.0\.1:\d+\/hook\b/g, 'https://hooks.example.com/hook'],
  [/\bwhsec_[\w+/=]+/g, 'whsec_MDAwMDAwMDAwMDAwMDAwMDBFWEFNUExF'],
  [/([?&]signature=)[\w%-]+/g, '$1RVhBTVBMRQ'],
  [/([?&]expires=)\d+/g, `$1${madeAtMs / 1000 + 3600}`],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '7f0c2b1e-5a4d-4c3b-9e8f-0123456789ab'],
]

const ids = /\b([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])/g
const crockford = '0123456789abcdefghjkmnpqrstvwxyz'
/** Future instants of a request must stay in the future for years: the first one. */
const askedAtMs = Date.parse('2036-01-15T09:30:00.000Z')
/** An instant with a fraction: those written by hand have none. */
const instants = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g

/** Instants in requests, also those written by hand. */
const anyInstants = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g

interface Origins {
  readonly live: string
  readonly sandbox: string
}

/**
 * A request and its answer with placeholders for secrets, ids, instants and addresses: two runs
 * yield the same. Instants of the request lie ahead, in their order, and are the same ones in the
 * answer.
 */
export function exampleOf(sent: unknown, got: unknown, origins: Origins) {
  const asked = askedInstants(sent)
  return {
    request: withStandIns(sent, origins, asked),
    response: withStandIns(got, origins, asked),
  }
}

/** Milliseconds → the placeholder of that instant. */
function askedInstants(sent: unknown): ReadonlyMap<number, string> {
  const found = JSON.stringify(sent)?.match(anyInstants) ?? []
  const ordered = [...new Set(found.map((text) => Date.parse(text)))].sort((a, b) => a - b)
  return new Map(
    ordered.map((ms, index) => [ms, new Date(askedAtMs + index * hourMs).toISOString()]),
  )
}

function withStandIns(
  value: unknown,
  origins: Origins,
  asked: ReadonlyMap<number, string>,
): unknown {
  const idByText = new Map<string, string>()
  const standInForId = (id: string, prefix: string) => {
    const last = crockford[idByText.size % crockford.length]
    const known = idByText.get(id) ?? `${prefix}_01kf0x4v2e5n8p0q3r5s7t9w1${last}`
    idByText.set(id, known)
    return known
  }
  function text(given: string): string {
    const local = given
      .replaceAll(origins.live, defaultAddresses.baseUrls.live)
      .replaceAll(origins.sandbox, defaultAddresses.baseUrls.sandbox)
      .replaceAll(ids, standInForId)
      .replaceAll(anyInstants, (instant) => asked.get(Date.parse(instant)) ?? instant)
      .replaceAll(instants, standInForInstant)
    return byForm.reduce((sum, [form, standIn]) => sum.replaceAll(form, standIn), local)
  }
  function walk(node: unknown): unknown {
    if (typeof node === 'string') return text(node)
    if (Array.isArray(node)) return node.map(walk)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(
      Object.entries(node).map(([name, child]) => {
        const isValue = typeof child === 'string' || typeof child === 'number'
        const standIn = isValue && Object.hasOwn(byMember, name) ? byMember[name] : undefined
        const isAlike = typeof standIn === typeof child
        return [name, isAlike ? standIn : walk(child)]
      }),
    )
  }
  return walk(value)
}

/** Keeps the distance from now in hours; an instant beyond a year was written by hand. */
function standInForInstant(text: string): string {
  const hours = Math.round((Date.parse(text) - Date.now()) / hourMs)
  return Math.abs(hours) > 9000 ? text : new Date(madeAtMs + hours * hourMs).toISOString()
}
