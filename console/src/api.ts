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

/**
 * The client for everything that a screen shows. A request fails after two more attempts, and
 * within nine seconds.
 */
export const gateway: Gateway = createGateway({
  ...connection,
  ...{ timeoutMs: 4500, totalTimeoutMs: 9000 },
})

/**
 * The client for actions of people: a payment or an export may take longer. Repetitions have one
 * effect.
 */
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

/** The interval at which an open page reads data that changes by itself, in milliseconds. */
export const heartbeatMs = 3500
