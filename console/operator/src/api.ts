import { QueryClient } from '@tanstack/react-query'
import { ConnectionError, GatewayError, TimeoutError } from 'credit-gateway-sdk'
import type {
  OperatorOperationName,
  OperatorOperations,
} from '../../../schema/generated/operator-operations.ts'
import { createGate } from '../../src/gate.ts'
import { root } from '../../src/place.ts'
import { isAttended } from './attended.ts'

/** What the page asks of its session, beside the documents of schema/operator. */
interface OwnOperations {
  readonly Me: { readonly variables: object; readonly body: Me }
  readonly Preview: { readonly variables: Link; readonly body: Preview }
  readonly SignIn: {
    readonly variables: Link & { readonly replaces?: boolean }
    readonly body: unknown
  }
  readonly StepUp: { readonly variables: Link; readonly body: unknown }
  readonly SignOut: {
    readonly variables: object
    /** Where the browser ends its session at the issuer, if it has one. */
    readonly body: { readonly signOutUrl?: string }
  }
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

/** Whom a link signs in. */
export interface Preview {
  readonly name: string
  readonly role: Role
  readonly expiresAt: string
  readonly signedInAs: Pick<Me, 'name' | 'role'> | null
}

type Operations = OwnOperations & OperatorOperations

export type Name = OperatorOperationName | keyof OwnOperations
export type Variables<One extends Name> = Operations[One]['variables']
/** The answer: that of the root field `result`, or all root fields. */
export type Body<One extends Name> = Operations[One]['body'] extends {
  readonly result: infer Result
}
  ? Result
  : Operations[One]['body']

/** Nobody is signed in, or the act needs a newer proof of who is there. Nothing was changed. */
export class ProofRequiredError extends GatewayError {
  override readonly name = 'ProofRequiredError'
  /** What counts as a proof. */
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
    body: JSON.stringify({ operation, variables, isBackground: !isAttended() }),
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  }).catch((cause: unknown) => {
    if (signal?.aborted) throw cause
    if (limit.aborted) throw new TimeoutError('No answer came in time.', once, { cause })
    throw new ConnectionError('No answer came.', once, { cause })
  })
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw refusalOf(response, answer)
  const { data } = Object(answer)
  return 'result' in Object(data) ? data.result : data
}

function refusalOf({ status, headers }: Response, answer: unknown): GatewayError {
  const { code, message, details } = Object(Object(answer).error)
  const refusal = {
    ...{ ...once, status, headers, documentationUrl: null, requestLogUrl: null, remedy: null },
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : `The answer has status ${status}.`,
    details: Array.isArray(details) ? details : [],
  }
  if (code === 'STEP_UP_REQUIRED' || code === 'AUTHENTICATION_REQUIRED') {
    return new ProofRequiredError(refusal, Object(details).methods ?? [])
  }
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
