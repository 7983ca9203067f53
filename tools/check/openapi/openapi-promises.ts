import type { Finding, Severity } from '../report/finding.ts'
import { breaksOfEndpoints, type Endpoint } from './openapi-endpoints.ts'

const file = 'schema/generated/openapi.json'

export interface Endpoints {
  readonly before: readonly Endpoint[]
  readonly after: readonly Endpoint[]
}

/** An endpoint of the document before, and what became of it. */
interface Pair {
  readonly endpoint: Endpoint
  readonly later: Endpoint
}

/**
 * Finds broken promises beyond OpenAPI: who may call an endpoint, what it costs, until when it is
 * there, which errors it tells, and the names that its clients are generated from. `today`: an ISO
 * 8601 date, in UTC.
 */
export function promiseChanges({ before, after }: Endpoints, today: string): Finding[] {
  const now = new Map(after.map((endpoint) => [endpoint.shape, endpoint]))
  const pairs = before.flatMap((endpoint) => {
    const later = now.get(endpoint.shape)
    return later ? [{ endpoint, later }] : []
  })
  const gone = before.filter(({ shape }) => !now.has(shape))
  return [
    ...gone.flatMap((endpoint) => goneEarly(endpoint, today)),
    ...pairs.flatMap((pair) => [...scopeChanges(pair), ...pricesRaised(pair), ...renamed(pair)]),
    ...errorCodesGone(pairs),
    ...tagsGone(pairs),
  ]
}

/** Clients that know of a deprecation rely on its end date. */
function goneEarly(endpoint: Endpoint, today: string): Finding[] {
  const sunset = endpoint.operation['x-sunset']
  if (sunset === undefined || sunset <= today) return []
  const message = `is gone, and was promised until ${sunset}`
  return [broken(endpoint, { kind: 'removed-before-sunset', became: sunset, message })]
}

/**
 * Asking for another scope, or for one at all, shuts callers out; so does no longer taking another.
 */
function scopeChanges({ endpoint, later }: Pair): Finding[] {
  const kind = 'scope-changed'
  const asked = (['x-scope', 'x-some-need-scope'] as const).flatMap((name) => {
    const [was, is] = [endpoint.operation[name], later.operation[name]]
    if (is === undefined || is === was) return []
    const message = `needs the scope ${is}, not ${was ?? 'any'}`
    return [broken(endpoint, { kind, became: is, message })]
  })
  const other = endpoint.operation['x-or-scope']
  if (other === undefined || other === later.operation['x-or-scope']) return asked
  const lost = { kind, became: `not ${other}`, message: `no longer takes ${other}` }
  return [...asked, broken(endpoint, lost)]
}

/**
 * Dearer breaks what callers reckoned with. More units at the same price cost those more who do not
 * say how many they want; cheaper breaks nobody.
 */
function pricesRaised({ endpoint, later }: Pair): Finding[] {
  const prices = ['flat', 'per_unit'].flatMap((member) => {
    const { was, is } = creditsOf(member)
    if (is <= was) return []
    const message = `costs ${is} credits (${member}), not ${was}`
    return [broken(endpoint, { kind: 'price-raised', became: `${member} ${is}`, message })]
  })
  const { was, is } = creditsOf('max_units')
  if (was === 0 || is <= was) return prices
  const message = `may charge for ${is} units, not ${was}`
  const raised = { kind: 'max-units-raised', became: String(is), message }
  return [...prices, broken(endpoint, raised, 'dangerous')]

  function creditsOf(member: string) {
    const read = ({ operation }: Endpoint) => Number(operation['x-credits']?.[member] ?? 0)
    return { was: read(endpoint), is: read(later) }
  }
}

/** URLs stay the same; but generated clients have a parameter with the name of the placeholder. */
function renamed({ endpoint, later }: Pair): Finding[] {
  if (endpoint.route === later.route) return []
  const message = `is ${later.route} now: generated clients call its parameter otherwise`
  const change = { kind: 'path-parameter-renamed', became: later.route, message }
  return [broken(endpoint, change, 'dangerous')]
}

/** Finds codes that endpoints no longer tell: a client that handles one waits for nothing. */
function errorCodesGone(pairs: readonly Pair[]): Finding[] {
  const lost = lossesOf(pairs, ({ errorCodes }) => errorCodes)
  return [...lost].map(([code, endpoints]) =>
    grouped(`error-code-removed/${code}`, `The error ${code} is no longer answered by`, endpoints),
  )
}

/** Clients are grouped by tag: `client.apiKeys.listApiKeys`. */
function tagsGone(pairs: readonly Pair[]): Finding[] {
  const lost = lossesOf(pairs, ({ operation }) => new Set(operation.tags))
  return [...lost].map(([tag, endpoints]) =>
    grouped(`tag-removed/${tag}`, `The tag ${tag} is no longer that of`, endpoints),
  )
}

function lossesOf(
  pairs: readonly Pair[],
  read: (endpoint: Endpoint) => ReadonlySet<string>,
): ReadonlyMap<string, readonly Endpoint[]> {
  const lost = pairs.flatMap(({ endpoint, later }) =>
    [...read(endpoint)]
      .filter((value) => !read(later).has(value))
      .map((value) => ({ value, endpoint })),
  )
  const byValue = Map.groupBy(lost, ({ value }) => value)
  return new Map([...byValue].map(([value, rows]) => [value, rows.map((row) => row.endpoint)]))
}

function grouped(id: string, text: string, endpoints: readonly Endpoint[]): Finding {
  const [{ route } = { route: 'nothing' }, ...others] = endpoints
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return {
    ...{ id: `openapi/${id}`, severity: 'dangerous', file, message: `${text} ${route}${more}` },
    breaks: breaksOfEndpoints(endpoints),
  }
}

interface PromiseChange {
  readonly kind: string
  readonly became: string
  readonly message: string
}

function broken(
  endpoint: Endpoint,
  { kind, became, message }: PromiseChange,
  severity: Severity = 'breaking',
): Finding {
  const { route } = endpoint
  return {
    ...{ id: `openapi/${kind}/${route} -> ${became}`, severity, file },
    ...{ message: `${route} ${message}`, breaks: breaksOfEndpoints([endpoint]) },
  }
}
