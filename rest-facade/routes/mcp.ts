import { creditRoutes } from './credits.ts'
import { type McpRoute, mcpRoute } from './kinds/mcp-route.ts'
import { usageRoutes } from './usage.ts'

export interface McpSettings {
  /** How long an equal call waits for the first one, in ms. */
  readonly patienceMs: number
}

export const mcpPath = '/mcp'

/** The endpoint of agents, which a gateway may leave out. */
export function mcpEndpoint({ patienceMs }: McpSettings): McpRoute {
  const reads = { credits: rowOf('GetCredits'), usage: rowOf('SummarizeUsage') }
  return mcpRoute({ path: mcpPath, patienceMs, reads })
}

function rowOf(operation: string) {
  const found = [...creditRoutes, ...usageRoutes].find((row) => row.operation === operation)
  if (!found) throw new Error(`No route reads ${operation}.`)
  return found
}
