import { createQuote } from '../../charge/quotes/quote-calls.ts'
import { answerMessage } from '../../mcp/answer-message.ts'
import { answerRefusal, readRpcBody, refuseForeignOrigin } from '../../mcp/refuse.ts'
import { toolsOf } from '../../mcp/tools.ts'
import { admit } from '../../steps/admit.ts'
import type { Step } from '../../steps/dispatch/steps.ts'
import { limitAccount } from '../../steps/rate-limit.ts'
import { type OperationRun, readOperation } from './route.ts'
import type { RouteTools } from './route-tools.ts'

interface McpRow {
  readonly path: string
  /** How long an equal call waits for the first one, in ms. */
  readonly patienceMs: number
  /** The routes of the tools that read the account. */
  readonly reads: Readonly<Record<'credits' | 'usage', OperationRun>>
}

/** The route of agents. The OpenAPI document does not describe it: its protocol is that of MCP. */
export interface McpRoute {
  readonly method: 'post'
  readonly path: string
  readonly isRooted: true
  readonly steps: (tools: RouteTools) => readonly Step[]
}

/** Serves the product operations as tools, to keys and access tokens alone. */
export function mcpRoute({ path, patienceMs, reads }: McpRow): McpRoute {
  return {
    ...{ method: 'post', path, isRooted: true },
    steps: (tools) => {
      const all = toolsOf(tools.catalog)
      const callFree = callFreeOf(tools, reads)
      return [
        refuseForeignOrigin(tools),
        admit(tools.recorder),
        tools.authenticate,
        limitAccount(tools.limiter),
        readRpcBody,
        answerMessage({ ...tools, all, patienceMs, callFree }),
        answerRefusal(tools, all),
      ]
    },
  }
}

/** The tools that are no product operations run the code of their REST routes. */
function callFreeOf(
  tools: RouteTools,
  reads: McpRow['reads'],
): Parameters<typeof answerMessage>[0]['callFree'] {
  const options = { execute: tools.execute, usageRecorded: tools.recorder.recordedIfPossible }
  const credits = readOperation(reads.credits, options)
  const usage = readOperation(reads.usage, options)
  const quote = createQuote(tools)
  return {
    credits: (call, input) => credits(call, { params: {}, query: input, body: undefined }),
    usage: (call, input) => usage(call, { params: {}, query: input, body: undefined }),
    quote: (call, input) => quote(call, { params: {}, query: {}, body: input }),
  }
}
