import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Finding } from '../report/finding.ts'
import { breaksOfEndpoints, type Endpoint, endpointsAt, endpointsOf } from './openapi-endpoints.ts'
import { type Endpoints, promiseChanges } from './openapi-promises.ts'
import { askRedocly } from './redocly.ts'

const file = 'schema/generated/openapi.json'

/** A node where one of the two documents has it; what is not there has no value. */
const written = z.object({ pointer: z.string(), value: z.unknown().optional() }).optional()

/** The members that this program reads of the output of `redocly diff --format json`. */
const diffReport = z.object({
  changes: z.array(
    z.object({
      /** The place with references followed: `#/paths/~1v1~1account/get/responses/…`. */
      path: z.string(),
      /** The type of the node that is changed: `Schema`, `Header`, `Operation`. */
      typeName: z.string().optional(),
      kind: z.string(),
      /** The member of the node that is changed. */
      property: z.string().nullish(),
      verdicts: z.array(
        z.object({
          ruleId: z.string(),
          impact: z.string(),
          message: z.string(),
          /** Where the node is written: in a component, if it is part of one. */
          location: z.object({ pointer: z.string(), line: z.int(), file: z.string() }).optional(),
        }),
      ),
      base: written,
      revision: written,
    }),
  ),
})

type Change = z.infer<typeof diffReport>['changes'][number]

interface Texts {
  /** The document in JSON; null where there is none. */
  readonly before: string | null
  readonly after: string | null
  /** An ISO 8601 date, in UTC. */
  readonly today: string
}

/** Changes that break, or may break, a REST client of the previous document. */
export function openapiChanges({ before, after, today }: Texts): Finding[] {
  if (before === null || after === null || before === after) return []
  const endpoints = { before: endpointsOf(before), after: endpointsOf(after) }
  const found = [...structural(before, after, endpoints), ...promiseChanges(endpoints, today)]
  return [...new Map(found.map((finding) => [finding.id, finding])).values()]
}

/** Changes of the schemas: Redocly knows whether a schema is sent, answered or both. */
function structural(before: string, after: string, endpoints: Endpoints): Finding[] {
  const files = {
    'before.json': withoutDescriptions(before),
    'after.json': withoutDescriptions(after),
  }
  const report = diffReport.parse(askRedocly('diff', files, ['--fail-on', 'none']))
  const all = [...endpoints.before, ...endpoints.after]
  return report.changes.flatMap((change) => [...judged(change, all), ...unjudged(change, all)])
}

/**
 * The document with empty descriptions, on the same lines. Descriptions break no client, and Redocly takes a
 * parameter with another description for another parameter.
 */
function withoutDescriptions(document: string): string {
  return document.replaceAll(/("description":\s*)"(?:[^"\\]|\\.)*"/g, '$1""')
}

function judged({ path, kind, verdicts, revision }: Change, all: readonly Endpoint[]): Finding[] {
  return verdicts
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
    })
}

/** Changes that Redocly reports without a rule. */
function unjudged(change: Change, all: readonly Endpoint[]): Finding[] {
  const { typeName, kind, property, path } = change
  const [was, is] = [change.base?.value, change.revision?.value]
  if (kind !== 'modified') return []
  const pointer = change.base?.pointer ?? path
  const about = { file, breaks: breaksOfEndpoints(endpointsAt(pointer, all)) }
  const id = (rule: string) => `openapi/${rule}/${pointer} -> ${shortly(is)}`
  if (typeName === 'Header' && property === 'required' && was === true) {
    const message = `A header that every answer had may be missing (${pointer})`
    return [{ ...about, id: id('header-became-optional'), severity: 'breaking', message }]
  }
  if (typeName === 'Schema' && property === 'default') {
    const message = `The default is ${shortly(is)}, not ${shortly(was)} (${pointer})`
    return [{ ...about, id: id('default-changed'), severity: 'dangerous', message }]
  }
  const isNamed = pointer.startsWith('#/components/schemas/')
  if (typeName === 'Schema' && property === 'enum' && isNamed && change.verdicts.length === 0) {
    const message = `Values are no longer answered: ${shortly(is)}, not ${shortly(was)} (${pointer})`
    return [{ ...about, id: id('enum-narrowed'), severity: 'dangerous', message }]
  }
  return []
}

/** A value as part of an id: what is long is told by its hash, what is not there by a word. */
function shortly(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= 60 ? text : createHash('sha256').update(text).digest('hex').slice(0, 12)
}
