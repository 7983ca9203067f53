import type { Catalog, Service } from '../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../schema/catalog/operation.ts'
import { priceText } from '../../schema/catalog/price-text.ts'
import { toolName } from '../../schema/catalog/tool-name.ts'
import type { AccountCaller } from '../../schema/credentials/caller.ts'
import { coversScope, coversTokenScope, productScopes } from '../../schema/vocabulary/scopes.ts'
import { type FreeToolName, freeToolRoutes } from './free-tool-routes.ts'
import { productSchemas, readFreeSchemas, type ToolSchemas } from './tool-schemas.ts'

/** What clients may assume of a tool. Every hint is said, also where it is false. */
interface ToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** A tool, as `tools/list` shows it. */
export interface ListedTool extends ToolSchemas {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly annotations: ToolHints
}

/** A tool, and who may call it. */
export interface Tool {
  readonly listed: ListedTool
  /** Each of them is sufficient. */
  readonly scopes: readonly string[]
  readonly runs:
    | { readonly operation: Operation; readonly service: Service }
    | { readonly free: FreeToolName }
}

const readOnly: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** Every tool, in the order of the catalog; those that are no product operations come last. */
export function toolsOf(catalog: Catalog): readonly Tool[] {
  const products = catalog.services.flatMap((service) =>
    service.operations.map((operation) => productTool(service, operation)),
  )
  return [...products, ...freeTools()]
}

function productTool(service: Service, operation: Operation): Tool {
  const { summary, description, price, isIdempotent, declared } = operation
  const { publishes = false } = declared
  const isFree = price.maximum === 0
  return {
    listed: {
      name: toolName(operation),
      title: summary,
      description: `${description} Price: ${priceText(price)}.`,
      ...productSchemas(operation),
      annotations: {
        readOnlyHint: isFree && operation.method === 'GET',
        destructiveHint: publishes,
        idempotentHint: isFree && isIdempotent,
        openWorldHint: publishes,
      },
    },
    scopes: [operation.scope],
    runs: { operation, service },
  }
}

const freeTexts: Readonly<Record<FreeToolName, Pick<Tool, 'scopes'> & { description: string }>> = {
  credits: {
    scopes: ['account:read', ...productScopes],
    description: 'Returns the credits of the account: balance, holds and what is available.',
  },
  quote: {
    scopes: ['account:read', ...productScopes],
    description:
      'Tells what product calls would cost and whether they would succeed, without making them. A call is written as its REST request: method, path from /v1 on, query, body.',
  },
  usage: {
    scopes: ['usage:read'],
    description: 'Counts requests, credits, success and latency of the account by hour or day.',
  },
}

function freeTools(): Tool[] {
  const schemasOf = readFreeSchemas()
  const names = Object.keys(freeToolRoutes) as FreeToolName[]
  return names.map((name) => {
    const { summary: title, inputSchema, outputSchema } = schemasOf(name)
    const { scopes, description } = freeTexts[name]
    return {
      listed: {
        ...{ name, title, description: `${description} Price: free.` },
        ...{ inputSchema, outputSchema, annotations: readOnly },
      },
      scopes,
      runs: { free: name },
    }
  })
}

/** Whether the scopes of a caller suffice for a tool. */
export function mayCall({ clientId, scopes: held }: AccountCaller, { scopes }: Tool): boolean {
  const covers = clientId === undefined ? coversScope : coversTokenScope
  return scopes.some((scope) => covers(held, scope))
}

/**
 * The tools that a caller sees. A key gets those that it covers. An app gets all, because it can ask for more scopes:
 * the description of a tool that its token does not cover begins with the scope that it needs.
 */
export function listedFor(caller: AccountCaller, tools: readonly Tool[]): ListedTool[] {
  if (caller.clientId === undefined) {
    return tools.filter((tool) => mayCall(caller, tool)).map(({ listed }) => listed)
  }
  return tools.map((tool) => {
    const { listed, scopes } = tool
    if (mayCall(caller, tool)) return listed
    return { ...listed, description: `${scopes[0]} is needed. ${listed.description}` }
  })
}
