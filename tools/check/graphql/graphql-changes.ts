import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildASTSchema, type GraphQLSchema, parse } from 'graphql'
import type { Finding, Severity } from '../report/finding.ts'
import { breaksOf, type Callers } from './callers.ts'
import type { Graph } from './graph.ts'
import { lineOf, linesOf } from './locate.ts'
import type { Uses } from './operation-uses.ts'

interface SchemaChange {
  /** `field-removed` and so on, after graphql-inspector. */
  readonly kind: string
  readonly coordinate: string
  /** The new value, if there is one: part of the id. */
  readonly became: string
  readonly severity: Severity
  readonly message: string
}

interface Compared {
  readonly before: Graph
  readonly after: Graph
  /** The parts of the old graph that persisted operations use. */
  readonly uses: Uses
  readonly callers: Callers
}

/**
 * Changes of the graph that break, or may break, a client of the old graph. A change of one
 * subgraph that the composition hides is dangerous: only a process of the previous build, beside
 * this one, notices it.
 */
export async function graphqlChanges({ before, after, ...users }: Compared): Promise<Finding[]> {
  const findings = new Map<string, Finding>()
  const publicly = await changesOf(before.api, after.api)
  for (const change of publicly) {
    const finding = toFinding(change, 'schema/generated/api.graphql', after.api, users)
    findings.set(finding.id, finding)
  }
  for (const [name, sdl] of before.subgraphs) {
    const now = after.subgraphs.get(name) ?? null
    const file = `schema/generated/${name}.graphql`
    if (now === null) continue
    for (const change of await changesOf(sdl, now)) {
      const finding = toFinding(change, file, now, users)
      // The change was made in the subgraph, so its file is reported.
      if (findings.has(finding.id)) findings.set(finding.id, finding)
      else if (after.api === null) findings.set(finding.id, finding)
      else findings.set(`${name} ${finding.id}`, hidden(finding, name))
    }
  }
  return [...findings.values()]
}

function hidden(finding: Finding, subgraph: string): Finding {
  const id = finding.id.replace('graphql/', `graphql/${subgraph}/`)
  const message = `${finding.message}, in the subgraph ${subgraph} alone: clients see no difference, but processes of the build before may ask it there during a rollout`
  return { ...finding, id, severity: 'dangerous', message }
}

async function changesOf(before: string | null, after: string | null): Promise<SchemaChange[]> {
  if (before === null || after === null || before === after) return []
  const changes = await diff(toSchema(before), toSchema(after))
  return changes.flatMap(toSchemaChange)
}

function toSchema(sdl: string): GraphQLSchema {
  return buildASTSchema(parse(sdl), { assumeValidSDL: true })
}

const severities: ReadonlyMap<CriticalityLevel, Severity> = new Map([
  [CriticalityLevel.Breaking, 'breaking'],
  [CriticalityLevel.Dangerous, 'dangerous'],
])

function toSchemaChange({ type, path = '', message, criticality, meta }: Change): SchemaChange[] {
  const severity = severities.get(criticality.level)
  // Only the key directives of federation are promises to others; composition checks the rest.
  const isMachinery = type.startsWith('DIRECTIVE_') && !path.endsWith('.@key')
  if (!severity || isMachinery) return []
  const kind = String(type).toLowerCase().replaceAll('_', '-')
  const [, became = ''] = Object.entries(meta).find(([name]) => /^new[A-Z]/.test(name)) ?? []
  return [{ kind, severity, message, coordinate: coordinateOf(path), became: String(became) }]
}

/** graphql-inspector writes `Query.account.id` for `Query.account(id:)`, and `Account.@key`. */
function coordinateOf(path: string): string {
  const [type = '', field, argument] = path.split('.')
  if (field === undefined || field.startsWith('@')) return type
  return argument === undefined ? `${type}.${field}` : `${type}.${field}(${argument}:)`
}

function toFinding(
  change: SchemaChange,
  file: string,
  sdl: string | null,
  { uses, callers }: Pick<Compared, 'uses' | 'callers'>,
): Finding {
  const { kind, coordinate, became, severity, message } = change
  const line = sdl === null ? undefined : lineOf(linesOf(sdl), coordinate)
  const breaks = breaksOf(callers, usersOf(change, uses))
  const id = `graphql/${kind}/${coordinate}${became === '' ? '' : ` -> ${became}`}`
  return { id, severity, file, line, message, breaks }
}

/**
 * The users of a change. New parts and new defaults concern operations that do not set the value.
 */
function usersOf({ kind, coordinate }: SchemaChange, uses: Uses): ReadonlySet<string> {
  const users = uses.get(coordinate) ?? new Set()
  if (kind === 'input-field-default-value-changed') return users
  if (!/-added$|-default-changed$/.test(kind)) return users
  const container = coordinate.replace(coordinate.includes('(') ? /\(.*$/ : /\..*$/, '')
  const all = uses.get(container) ?? new Set()
  return new Set([...all].filter((name) => !users.has(name)))
}
