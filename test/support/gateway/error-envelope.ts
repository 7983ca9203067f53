import { expect } from 'vitest'
import type {
  BudgetDetail,
  FieldError,
  SuspensionDetail,
} from '../../../schema/vocabulary/error-codes.ts'
import { isId } from '../../../schema/vocabulary/ids.ts'
import type { TestResponse } from '../requests/client.ts'
import type { TestGateway } from './gateway.ts'

interface ExpectedError {
  readonly status: number
  readonly code: string
  /** Any text unless said. */
  readonly message?: string
  readonly details?:
    | readonly (FieldError | BudgetDetail)[]
    | SuspensionDetail
    | { readonly methods: readonly string[] }
  /** Below the address of the documentation; `errors/<code>` unless said. */
  readonly page?: string
}

/** The whole error envelope, and the headers of every answer (docs/contract.md §2 and §3). */
export function expectError(
  { baseUrl }: Pick<TestGateway, 'baseUrl'>,
  response: TestResponse,
  { status, code, message, details, page = `errors/${code}` }: ExpectedError,
): void {
  const envelope = {
    code,
    message: message ?? expect.stringMatching(/\S/),
    status,
    documentation_url: `${baseUrl}/docs/${page}`,
    request_id: response.headers.get('x-request-id'),
  }
  const { request_log_url: logUrl, remedy, ...error } = Object(response.body).error
  expect({ error }).toEqual({ error: details ? { ...envelope, details } : envelope })
  const inConsole = `/console/logs?request=${envelope.request_id}`
  if (logUrl !== undefined)
    expect(new URL(logUrl).pathname + new URL(logUrl).search).toBe(inConsole)
  expect(remedy !== undefined).toBe(status === 402 && code !== 'PAYMENT_DECLINED')
  expect(response.status).toBe(status)
  expectStandardHeaders(response)
}

/** Checks the headers of every answer, whatever its status (docs/contract.md §3; docs/spec.md §1.5). */
export function expectStandardHeaders({ headers }: TestResponse): void {
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('x-request-id')).toSatisfy((id: string) => isId('req', id))
  expect(headers.get('x-ratelimit-limit')).toMatch(/^[1-9]\d*$/)
  expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/)
  expect(headers.get('x-ratelimit-reset')).toMatch(/^\d{10}$/)
}
