import { QueryClient } from '@tanstack/react-query'
import { ConnectionError, GatewayError, TimeoutError } from 'credit-gateway-sdk'
import type { BodyOf, OperationName, VariablesOf } from '../../../schema/generated/operations.ts'
import { createGate } from '../../src/gate.ts'
import { root } from '../../src/place.ts'

/** What the page itself asks, beside the documents of the graph. */
interface OwnOperations {
  readonly Me: { readonly variables: object; readonly body: Me }
  readonly Preview: { readonly variables: Link; readonly body: Preview }
  readonly SignIn: { readonly variables: Link; readonly body: unknown }
  readonly StepUp: { readonly variables: Link; readonly body: unknown }
  readonly SignOut: { readonly variables: object; readonly body: unknown }
}

interface Link {
  readonly token: string
}

export type Role = 'readonly' | 'support' | 'admin'

export type SignInMethod = 'link' | 'oidc'

/** The operator who is signed in. */
export interface Me {
  readonly name: string
  readonly role: Role
  readonly provenAt: string
  readonly isProofFresh: boolean
  readonly expiresAt: string
  readonly signInMethods: readonly SignInMethod[]
}

/** What a link opens. */
export interface Preview {
  readonly name: string
  readonly role: Role
  readonly expiresAt: string
}

export type Name = OperationName | keyof OwnOperations
export type Body<One extends Name> = One extends keyof OwnOperations
  ? OwnOperations[One]['body']
  : One extends OperationName
    ? BodyOf<One>
    : never
export type Variables<One extends Name> = One extends keyof OwnOperations
  ? OwnOperations[One]['variables']
  : One extends OperationName
    ? VariablesOf<One>
    : never

/** The act needs a newer proof of who is there. Nothing was changed. */
export class ProofRequiredError extends GatewayError {
  override readonly name = 'ProofRequiredError'
  readonly methods: readonly SignInMethod[]

  constructor(refusal: Refusal, methods: readonly SignInMethod[]) {
    super(refusal)
    this.methods = methods
  }
}

type Refusal = ConstructorParameters<typeof GatewayError>[0]

interface AskOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

const send = createGate((...request) => fetch(...request))
const once = { tries: 1, idempotencyKey: null }
const readMs = 9000

/**
 * Runs one of the operations of the page. Throws GatewayError for a refusal, ConnectionError if no
 * answer came: then a change may have taken effect.
 */
export async function ask<One extends Name>(
  operation: One,
  variables: Variables<One>,
  { signal, timeoutMs = readMs }: AskOptions = {},
): Promise<Body<One>> {
  const limit = AbortSignal.timeout(timeoutMs)
  const response = await send(new URL('api', root), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ operation, variables }),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    if (limit.aborted) throw new TimeoutError('No answer came in time.', once, { cause })
    throw new ConnectionError('No answer came.', once, { cause })
  })
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw refusalOf(response, answer)
  return Object(answer).data
}

function refusalOf({ status, headers }: Response, answer: unknown): GatewayError {
  const { code, message, details } = Object(Object(answer).error)
  const refusal = {
    ...{ ...once, status, headers, documentationUrl: null, requestLogUrl: null, remedy: null },
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : `The answer has status ${status}.`,
    details: Array.isArray(details) ? details : [],
  }
  if (code === 'STEP_UP_REQUIRED') return new ProofRequiredError(refusal, Object(details).methods)
  return new GatewayError(refusal)
}

/** Whether the gateway has refused with this status. */
export function isRefusedAs(error: unknown, status: number): error is GatewayError {
  return error instanceof GatewayError && error.status === status
}

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && error instanceof ConnectionError,
      networkMode: 'always',
      staleTime: 1500,
      refetchOnWindowFocus: true,
    },
  },
})
