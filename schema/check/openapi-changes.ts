import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Finding } from './finding.ts'
import { breaksOfEndpoints, type Endpoint, endpointsAt, endpointsOf } from './openapi-endpoints.ts'
import { askRedocly } from './redocly.ts'

const file = 'schema/openapi.json'

/** What `redocly diff --format json` prints, as far as it is read here. */
const diffReport = z.object({
  changes: z.array(
    z.object({
      /** With references followed: `#/paths/~1v1~1account/get/responses/…`. */
      path: z.string(),
      kind: z.string(),
      verdicts: z.array(
        z.object({
          ruleId: z.string(),
          impact: z.string(),
          message: z.string(),
          /** Where it is written: in a component, if it is part of one. */
          location: z.object({ pointer: z.string(), line: z.int(), file: z.string() }).optional(),
        }),
      ),
      revision: z.object({ value: z.unknown().optional() }).optional(),
    }),
  ),
})

/** What breaks a REST client of the document before. Both are JSON; null where there is none. */
export function openapiChanges(before: string | null, after: string | null): Finding[] {
  if (before === null || after === null || before === after) return []
  const endpoints = { before: endpointsOf(before), after: endpointsOf(after) }
  const found = [...structural(before, after, endpoints), ...promises(endpoints)]
  return [...new Map(found.map((finding) => [finding.id, finding])).values()]
}

interface Endpoints {
  readonly before: readonly Endpoint[]
  readonly after: readonly Endpoint[]
}

/** What OpenAPI itself says: Redocly knows whether a schema is sent, answered or both. */
function structural(before: string, after: string, endpoints: Endpoints): Finding[] {
  const files = { 'before.json': before, 'after.json': after }
  const report = diffReport.parse(askRedocly('diff', files, ['--fail-on', 'none']))
  const all = [...endpoints.before, ...endpoints.after]
  return report.changes.flatMap(({ path, kind, verdicts, revision }) =>
    verdicts
      .filter(({ impact }) => impact === 'major')
      .map(({ ruleId, message, location }) => {
        const pointer = location?.pointer ?? path
        const became = kind === 'modified' ? ` -> ${shortly(revision?.value)}` : ''
        return {
          ...{ id: `openapi/${ruleId}/${pointer}${became}`, severity: 'breaking', file },
          line: location?.file === 'after.json' ? location.line : undefined,
          message: `${message} (${pointer})`,
          breaks: breaksOfEndpoints(endpointsAt(pointer, all)),
        }
      }),
  )
}

/** A value as part of an id: what is long is told by its hash. */
function shortly(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length <= 60 ? text : createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/** What the document promises beyond OpenAPI: who may call, and what it costs. */
function promises({ before, after }: Endpoints): Finding[] {
  const now = new Map(after.map(({ route, operation }) => [route, operation]))
  return before.flatMap((endpoint) => {
    const later = now.get(endpoint.route)
    return later ? [...scopeChanges(endpoint, later), ...pricesRaised(endpoint, later)] : []
  })
}

/** Asking for another scope, or for one at all, shuts callers out; so does no longer taking another. */
function scopeChanges(endpoint: Endpoint, later: Endpoint['operation']): Finding[] {
  const { operation } = endpoint
  const asked = (['x-scope', 'x-some-need-scope'] as const).flatMap((name) => {
    const [was, is] = [operation[name], later[name]]
    return is === undefined || is === was
      ? []
      : [broken(endpoint, 'scope-changed', is, `needs the scope ${is}, not ${was ?? 'any'}`)]
  })
  const other = operation['x-or-scope']
  if (other === undefined || other === later['x-or-scope']) return asked
  return [...asked, broken(endpoint, 'scope-changed', `not ${other}`, `no longer takes ${other}`)]
}

/** Dearer breaks what callers reckoned with; cheaper, or more units at the same price, does not. */
function pricesRaised(endpoint: Endpoint, later: Endpoint['operation']): Finding[] {
  return ['flat', 'per_unit'].flatMap((member) => {
    const [was, is] = [endpoint.operation, later].map((operation) =>
      Number(operation['x-credits']?.[member] ?? 0),
    )
    if (was === undefined || is === undefined || is <= was) return []
    const message = `costs ${is} credits (${member}), not ${was}`
    return [broken(endpoint, 'price-raised', `${member} ${is}`, message)]
  })
}

function broken(endpoint: Endpoint, kind: string, became: string, message: string): Finding {
  const { route } = endpoint
  return {
    ...{ id: `openapi/${kind}/${route} -> ${became}`, severity: 'breaking', file },
    ...{ message: `${route} ${message}`, breaks: breaksOfEndpoints([endpoint]) },
  }
}
