import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type StaticBody, staticBody } from '../rest-facade/http/static-answer.ts'
import { oauthSecretKinds } from '../schema/credentials/oauth-secret-format.ts'
import { projectRoot } from '../schema/process/project-root.ts'
import { defaultAddresses } from '../schema/vocabulary/default-addresses.ts'

/** The settings of a gateway that appear in generated documents. */
export interface ConfiguredOptions {
  /** Absolute, without a trailing slash. */
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
  /** The `<svc>` of keys and of `X-<svc>-Idempotency-Key`. */
  readonly keyPrefix: string
  /** Whether agents are served; unless told, they are. */
  readonly hasAgents?: boolean
}

function withoutTools(member: string, value: unknown): unknown {
  return member === 'x-mcp-tool' ? undefined : value
}

const kinds = ['live', 'test', ...oauthSecretKinds]

/**
 * A committed JSON file of `schema/`, with the settings of this gateway in place of the defaults.
 */
export function configuredJson(
  name: 'openapi.json' | 'postman.json',
  { baseUrls, docsUrl, keyPrefix, hasAgents = true }: ConfiguredOptions,
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
  const compact = JSON.stringify(JSON.parse(text, hasAgents ? undefined : withoutTools))
  return compact.replaceAll(defaults, (found) => inJson(configured.get(found) ?? found))
}

/** The OpenAPI document as it is sent. It is made at the first request and then kept. */
export function openapiBody(options: ConfiguredOptions): StaticBody {
  return staticBody(() => configuredJson('openapi.json', options))
}
