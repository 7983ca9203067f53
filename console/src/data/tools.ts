import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { gateway, heartbeatMs } from '../api.ts'
import { isOutage } from '../outage.ts'
import { isRefusedAs } from '../session/session.tsx'

/** The address of the tools for agents: `{base_url}/mcp`. Null: this gateway has none (`MCP=off`). */
export function useToolsAddress(): UseQueryResult<string | null, Error> {
  return useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => readAddress(signal),
    // Only another start of the gateway changes it.
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (isOutage(state.error) ? heartbeatMs : false),
  })
}

async function readAddress(signal: AbortSignal): Promise<string | null> {
  try {
    return (await gateway.oauth.getProtectedResource({}, { signal })).data.resource
  } catch (error) {
    if (isRefusedAs(error, 404)) return null
    throw error
  }
}
