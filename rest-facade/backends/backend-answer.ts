import type { Operation } from '../../schema/catalog/operation.ts'
import type { ErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { ApiError } from '../http/errors.ts'
import type { BackendAnswer } from './backend.ts'

/** The refusals of a backend that are passed on; any other status is a failure of the backend. */
export const keptStatuses: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  422: 'INVALID_REQUEST',
}

const maxMessageLength = 500

/** The price of a delivered answer, and whether the backend claimed more than the maximum. */
export interface Due {
  readonly credits: number
  readonly isCapped: boolean
}

/**
 * Returns the parsed body of a success. Otherwise throws the caller's error (docs/credits.md §2).
 */
export function readAnswer(operation: Operation, answer: BackendAnswer): unknown {
  const { status, body } = answer
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && status === 204) return null
  const parsed = isJson(answer) ? parse(body.toString()) : undefined
  const text = isPlainText(answer) ? { message: body.toString().trim() } : undefined
  if (isSuccess && parsed !== undefined) return parsed
  const code = keptStatuses[status]
  if (code) {
    const message = refusal(operation, parsed ?? text)
    // The backend does not tell which field it refuses, but a 422 names one (docs/contract.md §2).
    const details =
      code === 'INVALID_REQUEST' ? [{ field: 'body', in: 'body', message } as const] : undefined
    // A 400 is told from its code alone, and of a module's text nothing is kept.
    const logged = code === 'BAD_REQUEST' ? undefined : { layer: 'module' }
    throw new ApiError(code, message, { status, details, logged })
  }
  throw broken(operation, `status ${status}`)
}

/**
 * Returns the price, at most the maximum. Throws BACKEND_ERROR when the answer does not tell it.
 */
export function creditsDue(
  operation: Operation,
  answer: BackendAnswer,
  parsed: unknown,
  maximumCredits: number,
): Due {
  const { unitsAt, creditsPerUnit, maximum } = operation.price
  if (!unitsAt) return { credits: Math.min(maximum, maximumCredits), isCapped: false }
  const header = answer.headers['x-credits-used']
  const credits =
    header === undefined
      ? unitsIn(operation, parsed, unitsAt) * creditsPerUnit
      : creditsUsed(operation, header)
  return { credits: Math.min(credits, maximumCredits), isCapped: credits > maximumCredits }
}

function creditsUsed(operation: Operation, header: string | string[]): number {
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header)
  throw broken(operation, 'malformed X-Credits-Used')
}

function unitsIn(operation: Operation, parsed: unknown, path: readonly string[]): number {
  let value = parsed
  for (const name of path) {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    value = isObject ? Object(value)[name] : undefined
  }
  if (Array.isArray(value)) return value.length
  throw broken(operation, `no list at /${path.join('/')}`)
}

function isJson({ headers }: BackendAnswer): boolean {
  const type = headers['content-type']
  return typeof type === 'string' && /^application\/([\w.-]+\+)?json\b/i.test(type)
}

function isPlainText({ headers }: BackendAnswer): boolean {
  const type = headers['content-type']
  return typeof type === 'string' && /^text\/plain\b/i.test(type)
}

function parse(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body)
    return value
  } catch {
    // Half an answer is useless; the status decides which error it is.
    return undefined
  }
}

/** Returns the backend's message if it has our envelope or is a plain text of reasonable length. */
function refusal({ serviceName }: Operation, parsed: unknown): string {
  const body = Object(parsed)
  const message: unknown = Object(body.error).message ?? body.message
  const isFit = typeof message === 'string' && message !== '' && message.length <= maxMessageLength
  return isFit ? message : `${serviceName} refused the request.`
}

function broken({ backendModule }: Operation, reason: string): ApiError {
  return new ApiError('BACKEND_ERROR', `${backendModule} did not answer properly.`, {
    cause: new Error(`${backendModule} answered with ${reason}`),
  })
}
