import { STATUS_CODES } from 'node:http'
import { parserStatuses } from '../../../gateway/listeners/early-answers.ts'
import type { Deprecation } from '../../../schema/catalog/deprecation.ts'
import {
  type ErrorCode,
  type OAuthErrorCode,
  oauthErrorStatus,
  statusByErrorCode,
} from '../../../schema/vocabulary/error-codes.ts'
import {
  errorExample,
  oauthExample,
} from '../../../schema/vocabulary/error-texts/error-examples.ts'
import { meaningOf } from '../../../schema/vocabulary/error-texts/error-meanings.ts'
import type { Components } from '../components/components.ts'
import { type HeaderName, responseHeaders } from '../components/headers.ts'
import { type Json, pascalCase } from '../components/json.ts'
import { deprecationHeaderNames } from '../components/operation.ts'
import { errorSchemas } from './error-schemas.ts'

/** The refusals of an operation, and their form. */
export interface Refusals {
  readonly codes: readonly ErrorCode[]
  /** The operation is metered, so failures have the headers of credits. */
  readonly isMetered?: boolean
  /** Statuses of a backend module that the gateway passes on. */
  readonly keptStatuses?: Readonly<Record<number, ErrorCode>>
  /** The operation is deprecated, and failures say so too. */
  readonly deprecated?: Deprecation
  /** A browser gets the failure as a page. */
  readonly hasPage?: boolean
  /** A 422 may tell an app how to go on (docs/oauth-rules.md §2). */
  readonly isAuthorization?: boolean
  /** Protocol errors, beside the codes (RFC 6749 §5.2). */
  readonly oauthErrors?: readonly OAuthErrorCode[]
}

/** Status → reference to a response, for every error of the operation. */
export function errorResponses(refusals: Refusals, components: Components): Json {
  const { codes, keptStatuses = {}, oauthErrors = [] } = refusals
  const byStatus = new Map<number, Set<ErrorCode>>()
  const note = (status: number, code: ErrorCode) =>
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code))
  for (const status of parserStatuses) note(status, 'BAD_REQUEST')
  for (const code of codes) note(statusByErrorCode[code], code)
  for (const [status, code] of Object.entries(keptStatuses)) note(Number(status), code)
  const statuses = new Set([...byStatus.keys(), ...oauthErrors.map(oauthErrorStatus)])
  return Object.fromEntries(
    [...statuses]
      .sort((a, b) => a - b)
      .map((status) => [
        String(status),
        errorResponse({ status, codes: [...(byStatus.get(status) ?? [])] }, refusals, components),
      ]),
  )
}

/** Errors that can occur after credits were held for the call. */
const afterHold: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'INSUFFICIENT_CREDITS',
  'BUDGET_EXCEEDED',
  'NOT_FOUND',
  'CONFLICT',
  'IDEMPOTENCY_CONFLICT',
  'INVALID_REQUEST',
  'BACKEND_ERROR',
  'SERVICE_UNAVAILABLE',
  'BACKEND_TIMEOUT',
]

function isAfterHold(code: ErrorCode): boolean {
  return afterHold.includes(code)
}

interface Failure {
  readonly status: number
  readonly codes: readonly ErrorCode[]
}

function errorResponse(failure: Failure, refusals: Refusals, components: Components): Json {
  const { status, codes } = failure
  const oauthErrors = (refusals.oauthErrors ?? []).filter((one) => oauthErrorStatus(one) === status)
  const isAuthorization = Boolean(refusals.isAuthorization) && status === 422
  // The HTTP parser refuses such a request before any step that knows of credits or pages.
  const isEarly = codes.every((code) => code === 'BAD_REQUEST') && !refusals.keptStatuses?.[status]
  const isMetered = Boolean(refusals.isMetered) && !isEarly && codes.some(isAfterHold)
  const deprecation = isEarly ? [] : deprecationHeaderNames(refusals)
  const hasPage = Boolean(refusals.hasPage) && !isEarly && status < 500
  const name = [
    nameOf(failure),
    ...oauthErrors.map(pascalCase),
    ...(isAuthorization ? ['OfAuthorization'] : []),
    ...(isMetered ? ['OfMetered'] : []),
    ...(hasPage ? ['OrPage'] : []),
    ...(deprecation.length > 0 ? ['OfDeprecated'] : []),
  ].join('')
  const schemas = errorSchemas(components)
  const envelope = codes.length > 0 ? [schemas.envelope({ ...failure, isAuthorization })] : []
  const protocol = oauthErrors.length > 0 ? [schemas.oauth(oauthErrors)] : []
  const [only, ...others] = [...protocol, ...envelope]
  return components.add('responses', name, {
    description: descriptionOf(codes, oauthErrors),
    headers: responseHeaders(components, sureHeaders(failure), [
      ...deprecation,
      ...possibleHeaders(failure, oauthErrors),
      ...(isMetered
        ? (['X-Credits-Charged', 'X-Credits-Remaining', 'X-Budget-Remaining'] as const)
        : []),
    ]),
    content: {
      'application/json': {
        schema: others.length === 0 ? only : { anyOf: [only, ...others] },
        examples: Object.fromEntries([
          ...oauthErrors.map((code) => [code, { value: oauthExample(code) }]),
          ...codes.map((code) => [code, { value: errorExample(code, status) }]),
        ]),
      },
      ...(hasPage && { 'text/html': { schema: { type: 'string' } } }),
    },
    ...(codes.length > 0 && { 'x-error-codes': codes }),
    ...(oauthErrors.length > 0 && { 'x-oauth-error-codes': oauthErrors }),
  })
}

/**
 * The name of a response comes from its codes, or from its status where the codes belong to
 * another.
 */
function nameOf({ status, codes }: Failure): string {
  const isOwn = codes.every((code) => statusByErrorCode[code] === status)
  return isOwn
    ? codes.map((code) => pascalCase(code.toLowerCase())).join('Or')
    : pascalCase(STATUS_CODES[status] ?? String(status))
}

function descriptionOf(codes: readonly ErrorCode[], oauthErrors: readonly string[]): string {
  return [
    ...codes.map((code) => `\`${code}\`: ${meaningOf[code]}`),
    ...(oauthErrors.length > 0
      ? [`A protocol error (RFC 6749 §5.2): ${oauthErrors.map((one) => `\`${one}\``).join(', ')}.`]
      : []),
  ].join('\n\n')
}

function sureHeaders({ status, codes }: Failure): HeaderName[] {
  if (status === 401 && codes.length > 0) return ['WWW-Authenticate']
  if (status === 405) return ['Allow']
  return status === 429 || status === 503 ? ['Retry-After'] : []
}

/** Codes that may say when to come again. */
const waitCodes: readonly ErrorCode[] = ['IDEMPOTENCY_CONFLICT', 'INSUFFICIENT_CREDITS']

function possibleHeaders({ status, codes }: Failure, oauthErrors: readonly string[]): HeaderName[] {
  return [
    ...(status === 403 || (status === 401 && oauthErrors.length > 0)
      ? (['WWW-Authenticate'] as const)
      : []),
    ...(status === 415 ? (['Accept-Encoding'] as const) : []),
    ...(codes.some((code) => waitCodes.includes(code)) ? (['Retry-After'] as const) : []),
  ]
}
