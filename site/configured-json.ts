import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type StaticBody, staticBody } from '../rest-facade/http/static-answer.ts'
import { oauthSecretKinds } from '../schema/credentials/oauth-secret-format.ts'
import { projectRoot } from '../schema/process/project-root.ts'
import { absentForAgents, type ServedToAgents } from '../schema/vocabulary/audiences.ts'
import { defaultAddresses } from '../schema/vocabulary/default-addresses.ts'

/** The settings of a gateway that appear in generated documents. */
export interface ConfiguredOptions extends ServedToAgents {
  /** Absolute, without a trailing slash. */
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
  /** The `<svc>` of keys and of `X-<svc>-Idempotency-Key`. */
  readonly keyPrefix: string
}

/** Leaves out of a document what the gateway does not serve to agents; for `JSON.parse`. */
function withoutAbsent(served: ServedToAgents) {
  const { paths, discovery } = absentForAgents(served)

  /** Whether a request of the Postman collection, or a folder of them, is there. */
  function isServed(item: unknown): boolean {
    const address = String(Object(item).request?.url?.raw ?? '')
    return !paths.some((path) => address.endsWith(path))
  }

  return function withoutAbsent(member: string, value: unknown): unknown {
    if (member === 'x-mcp-tool') return served.hasAgents === false ? undefined : value
    if (member === 'paths') return without(value, paths)
    if (member === 'example') return without(value, discovery)
    // The examples of Postman are texts.
    const isDiscovery = member === 'body' && typeof value === 'string' && hasAny(value, discovery)
    if (isDiscovery) return JSON.stringify(without(JSON.parse(value), discovery), null, 2)
    return Array.isArray(value) && member === 'item' ? value.filter(isServed) : value
  }
}

/** Leaves out the components that no operation needs any more. */
function withNeededComponents(text: string): string {
  const document = Object(JSON.parse(text))
  const { schemas = {}, responses = {} } = document.components ?? {}
  const unneeded = (kind: string, found: object) =>
    Object.keys(found).filter((name) => !text.includes(`"#/components/${kind}/${name}"`))
  const [noSchemas, noResponses] = [unneeded('schemas', schemas), unneeded('responses', responses)]
  if (noSchemas.length + noResponses.length === 0) return text
  const components = {
    ...document.components,
    ...{ schemas: without(schemas, noSchemas), responses: without(responses, noResponses) },
  }
  return withNeededComponents(JSON.stringify({ ...document, components }))
}

function without(value: unknown, members: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !members.includes(name)))
}

function hasAny(text: string, words: readonly string[]): boolean {
  return words.some((word) => text.includes(word))
}

const kinds = ['live', 'test', ...oauthSecretKinds]

/**
 * A committed JSON file of `schema/`, with the settings of this gateway in place of the defaults.
 */
export function configuredJson(
  name: 'openapi.json' | 'postman.json',
  { baseUrls, docsUrl, keyPrefix, ...served }: ConfiguredOptions,
): string {
  const text = readFileSync(join(projectRoot, 'schema/generated', name), 'utf8')
  const configured = new Map<string, string>([
    [defaultAddresses.docsUrl, docsUrl],
    [defaultAddresses.baseUrls.live, baseUrls.live],
    [defaultAddresses.baseUrls.sandbox, baseUrls.sandbox],
    ['X-SVC-Idempotency-Key', `X-${keyPrefix.toUpperCase()}-Idempotency-Key`],
    ...kinds.map((kind) => [`svc_${kind}_`, `${keyPrefix}_${kind}_`] as const),
  ])
  // One pass, so that no inserted value is replaced again. Longer defaults match first.
  const longestFirst = [...configured.keys()].sort((a, b) => b.length - a.length)
  const defaults = new RegExp(longestFirst.join('|').replaceAll('.', String.raw`\.`), 'g')
  const inJson = (value: string) => JSON.stringify(value).slice(1, -1)
  const isWhole = absentForAgents(served).paths.length === 0
  const compact = isWhole
    ? JSON.stringify(JSON.parse(text))
    : withNeededComponents(JSON.stringify(JSON.parse(text, withoutAbsent(served))))
  return compact.replaceAll(defaults, (found) => inJson(configured.get(found) ?? found))
}

/** The OpenAPI document as it is sent. It is made at the first request and then kept. */
export function openapiBody(options: ConfiguredOptions): StaticBody {
  return staticBody(() => configuredJson('openapi.json', options))
}
