import { QueryClient } from '@tanstack/react-query'
import { createGateway, type Gateway } from 'credit-gateway-sdk'
import { createGate } from './gate.ts'
import { gatewayUrl } from './place.ts'

const connection = {
  baseUrl: gatewayUrl,
  session: true,
  maxRetries: 2,
  fetch: createGate((...request) => fetch(...request)),
} as const

/** For everything that a screen shows: after two more attempts, and within ten seconds, it fails. */
export const gateway: Gateway = createGateway({
  ...connection,
  ...{ timeoutMs: 4500, totalTimeoutMs: 9000 },
})

/** For what people do: a payment or an export may take its time. Repetitions have one effect. */
export const acting: Gateway = createGateway({
  ...connection,
  ...{ timeoutMs: 20_000, totalTimeoutMs: 40_000 },
})

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // The client of the API repeats by itself.
      retry: false,
      networkMode: 'always',
      staleTime: 1500,
      refetchOnWindowFocus: true,
    },
  },
})

/** How often a page that is open asks for what changes by itself, in milliseconds. */
export const heartbeatMs = 3500
