import { type DocumentNode, type GraphQLSchema, parse } from 'graphql'
import type { PageRoute } from '../../rest-facade/pages/docs/page-routes.ts'
import type { Route } from '../../rest-facade/routes/kinds/kind.ts'
import { templateOf } from '../../rest-facade/routes/kinds/route.ts'
import type { LocalRoute } from '../../rest-facade/routes/local.ts'
import type { Catalog } from '../../schema/catalog/load-catalog.ts'
import { priceVersion } from '../../schema/catalog/price-version.ts'
import { version } from '../../schema/process/version.ts'
import { defaultAddresses } from '../../schema/vocabulary/default-addresses.ts'
import { codeSamples } from './components/code-samples.ts'
import { createComponents } from './components/components.ts'
import type { Examples } from './components/examples.ts'
import type { Json } from './components/json.ts'
import { addSecuritySchemes } from './components/security.ts'
import { tagObjects } from './components/tags.ts'
import { errorResponses } from './errors/error-responses.ts'
import { localOperation } from './operations/local-operation.ts'
import { pageOperation } from './operations/page-operation.ts'
import { productOperation } from './operations/product-operation.ts'
import { routeOperation } from './operations/route-operation.ts'
import { webhookItems } from './webhooks.ts'

interface DocumentSources {
  readonly localRoutes: readonly LocalRoute[]
  readonly routes: readonly Route[]
  readonly pageRoutes: readonly PageRoute[]
  readonly catalog: Catalog
  /** The composed schema of the graph. Persisted operations select from it. */
  readonly schema: GraphQLSchema
  readonly manifest: Readonly<Record<string, { readonly document: string }>>
  readonly examples: Examples
}

const description = `A credit-metered gateway to eight product services, and the management of the account that uses them.

Every answer has \`X-Request-Id\` and the headers of the rate limit; metered answers say what they cost. Every failure has the same body. Every GET but those of the product services answers HEAD too.

Lists have \`limit\` and \`cursor\`: pass \`next_cursor\` back unchanged until it is null.`

/**
 * The OpenAPI 3.1 document. It has everything below /v1, the products first, and the pages of the
 * documentation.
 */
export function openapiDocument(sources: DocumentSources): Json {
  const { localRoutes, routes, pageRoutes, catalog, schema, manifest, examples } = sources
  const components = createComponents()
  addSecuritySchemes(components)
  const options = { components, examples, schema, documents: parsed(manifest) }
  const paths: Record<string, Record<string, Json>> = {}
  const put = (path: string, method: string, operation: Json) => {
    const samples = codeSamples(path, method.toUpperCase(), operation)
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...operation, ...samples } }
  }
  for (const { slug, operations } of catalog.services) {
    for (const operation of operations) {
      const path = `/v1/${slug}${operation.path}`
      put(path, operation.method, productOperation(operation, options))
    }
  }
  for (const route of routes) put(templateOf(route), route.method, routeOperation(route, options))
  for (const route of localRoutes) put(`/v1${route.path}`, 'get', localOperation(route, options))
  for (const route of pageRoutes) put(route.path, 'get', pageOperation(route, components, examples))
  const webhooks = webhookItems(components)
  const { baseUrls, docsUrl } = defaultAddresses
  return {
    openapi: '3.1.1',
    info: {
      title: 'Credit-Metered API Gateway',
      version,
      summary: 'Eight product services and an account, for credits.',
      description,
      // The operator has another address: the gateway puts it in when it serves the document.
      contact: { name: 'Documentation and support', url: docsUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-price-version': priceVersion(catalog),
    },
    servers: [
      { url: baseUrls.live, description: 'Live: calls cost credits.' },
      { url: baseUrls.sandbox, description: 'Sandbox: a simulator, play credits.' },
    ],
    externalDocs: { description: 'Guides and errors.', url: docsUrl },
    tags: tagObjects(catalog),
    paths,
    ...(Object.keys(webhooks).length > 0 && { webhooks }),
    'x-any-path': errorResponses({ codes: ['NOT_FOUND', 'METHOD_NOT_ALLOWED'] }, components),
    components: components.toJson(),
  }
}

function parsed(manifest: DocumentSources['manifest']): ReadonlyMap<string, DocumentNode> {
  const entries = Object.entries(manifest)
  return new Map(entries.map(([name, { document }]) => [name, parse(document)]))
}
