import { priceText } from '../../schema/catalog/price-text.ts'
import { priceVersion } from '../../schema/catalog/price-version.ts'
import { everyScope, membersScope, scopes, tokenScopes } from '../../schema/vocabulary/scopes.ts'
import { highlighted } from '../markup/highlighted.ts'
import type { SampleLanguage } from '../samples/in-languages.ts'
import type { DocsOptions } from './docs-options.ts'
import { duration } from './duration.ts'
import { allEndpoints, type Endpoint, endpointsByScope, endpointTables } from './endpoints.ts'
import { type ExampleCall, type ExampleName, exampleCall } from './example-call.ts'
import { toolsTable } from './tools.ts'
import { code, joined, setting, tableValue, text, type Value, type Values } from './value.ts'

/** What replaces `{{name}}` in the rendered pages. */
export function valuesOf(options: DocsOptions): Values {
  const { baseUrls, keyPrefix, catalog, anonymousRps, accountWorkMs } = options
  const endpoints = allEndpoints(options)
  const call = exampleCall(options)
  return {
    base_url: setting(baseUrls.live),
    sandbox_url: setting(baseUrls.sandbox),
    docs_url: setting(options.docsUrl),
    key_prefix: setting(keyPrefix),
    idempotency_header: setting(`X-${keyPrefix.toUpperCase()}-Idempotency-Key`),
    backend_timeout: setting(duration(options.backendTimeoutMs / 1000)),
    anonymous_rps: setting(String(anonymousRps)),
    account_work: setting(
      accountWorkMs === 0
        ? 'No limit of working time.'
        : `${accountWorkMs} ms of working time in each second.`,
    ),
    webhook_timeout: setting(duration(options.webhookTimeoutMs / 1000)),
    webhook_schedule: setting(options.webhookRetrySeconds.map(duration).join(', ')),
    price_version: setting(priceVersion(catalog)),
    ...programsOf(call),
    example_method: setting(call.method),
    example_path: setting(call.path),
    example_body: sample(call.body, 'ts'),
    example_credits: setting(String(call.credits)),
    example_answer: sample(call.answer, 'json'),
    prices: priceTable(options),
    scopes: scopeTable(endpoints),
    endpoints: endpointTables(endpoints),
    tools: toolsTable(catalog),
  }
}

/** The values of the calls that guides show: one for each language. */
function programsOf({ samples }: ExampleCall) {
  const program = (name: ExampleName, language: SampleLanguage) =>
    sample(samples[name][language], language)
  return {
    example_call_curl: program('call', 'sh'),
    example_call_ts: program('call', 'ts'),
    example_call_python: program('call', 'python'),
    example_once_curl: program('once', 'sh'),
    example_once_ts: program('once', 'ts'),
    example_once_python: program('once', 'python'),
    example_empty_curl: program('empty', 'sh'),
    example_empty_ts: program('empty', 'ts'),
    example_empty_python: program('empty', 'python'),
    example_quote_curl: program('quote', 'sh'),
    example_quote_ts: program('quote', 'ts'),
    example_quote_python: program('quote', 'python'),
  }
}

function sample(text: string, language: Parameters<typeof highlighted>[1]): Value {
  return { markdown: text, markup: highlighted(text, language) }
}

function priceTable({ catalog }: DocsOptions): Value {
  const rows = catalog.services.flatMap(({ name, slug, operations }) =>
    operations.map(({ method, path, summary, price }) => [
      text(name),
      code(`${method} /v1/${slug}${path}`),
      text(summary),
      text(priceText(price)),
    ]),
  )
  return tableValue(['Product', 'Operation', 'What it does', 'Price'], rows)
}

function scopeTable(endpoints: readonly Endpoint[]): Value {
  const byScope = endpointsByScope(endpoints)
  const rows = [...scopes, membersScope].map((scope) => {
    const operations = byScope.get(scope) ?? []
    return [
      code(scope),
      joined(
        operations.map(({ method, path }) => code(`${method} ${path}`)),
        '<br>',
      ),
      text(tokenScopes.includes(scope) ? 'yes' : 'no'),
    ]
  })
  const all = [code(everyScope), text('everything'), text('no')]
  return tableValue(['Scope', 'Operations', 'For OAuth apps'], [all, ...rows])
}
