/** The tools that are no product operations, each with the REST route whose input, answer and place in the log it has. */
export const freeToolRoutes = {
  credits: {
    ...{ method: 'get', path: '/v1/account/credits' },
    ...{ service: 'account', backendModule: 'subgraph:account' },
  },
  quote: {
    ...{ method: 'post', path: '/v1/quotes' },
    ...{ service: 'billing', backendModule: 'subgraph:account' },
  },
  usage: {
    ...{ method: 'get', path: '/v1/account/usage/summary' },
    ...{ service: 'usage', backendModule: 'subgraph:usage' },
  },
} as const

export type FreeToolName = keyof typeof freeToolRoutes
