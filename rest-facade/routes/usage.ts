import { z } from 'zod'
import type { UsageSource } from '../../schema/generated/operations.ts'
import { endpointPattern, maxEndpointLength } from '../../schema/vocabulary/endpoints.ts'
import { type ErrorCode, statusByErrorCode } from '../../schema/vocabulary/error-codes.ts'
import { dotSegmentRule, hasDotSegment } from '../../schema/vocabulary/ids.ts'
import { serviceSlugs } from '../../schema/vocabulary/scopes.ts'
import { endUserPattern, endUserRule } from '../http/fields/end-user.ts'
import {
  idValue,
  integerParam,
  isSpan,
  pageParams,
  shown,
  spanParams,
  spanRule,
  text,
} from '../http/input.ts'
import { sendInTurns } from '../http/send-result.ts'
import { accountRoute } from './kinds/account-route.ts'

/** Every service group of the usage log (docs/contract.md §7). */
export const serviceGroups = [
  ...serviceSlugs,
  'account',
  'keys',
  'usage',
  'billing',
  'oauth',
] as const

/** The first digit of a status. */
export const statusClass = z
  .enum(['1xx', '2xx', '3xx', '4xx', '5xx'], 'must be one of 1xx, 2xx, 3xx, 4xx, 5xx')
  .transform((statusClass) => Number(statusClass.charAt(0)))
  .register(shown, { description: 'Only answers with a status of this class.' })

/** The values that name a caller. An external id may be any text that a key could ever have. */
export const callerValues = {
  key_id: idValue('key', 'an API key'),
  client_id: idValue('app', 'an app'),
  external_id: text(1, 128).refine((id) => !hasDotSegment(id), dotSegmentRule),
}

const callerParams = {
  key_id: callerValues.key_id.optional(),
  client_id: callerValues.client_id.optional(),
  external_id: callerValues.external_id.optional(),
}

/** The values that `X-End-User` accepts. */
export const endUserValue = z
  .string('must be a single text')
  .regex(endUserPattern, endUserRule)
  .register(shown, { schema: { type: 'string', pattern: endUserPattern.source } })

const errorCodes = Object.keys(statusByErrorCode) as [ErrorCode, ...ErrorCode[]]

/** The code of a failure, as the log has it. */
export const errorCode = z
  .enum(errorCodes, `must be one of ${errorCodes.join(', ')}`)
  .register(shown, { description: 'Only requests that failed with this code.' })

const extendedParam = (description: string) =>
  z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .register(shown, { schema: { type: 'boolean' }, description })
    .default(false)

const sourcesPattern = /^(key|token|session)(,(key|token|session))*$/
const sourcesRule = 'must be some of key, token, session, with commas between them'

function isSource(text: string): text is UsageSource {
  return text === 'key' || text === 'token' || text === 'session'
}

/** Sources of entries, as the log takes them in a query, and an export in its body. */
export const sources = z
  .string(sourcesRule)
  .regex(sourcesPattern, sourcesRule)
  .transform((text) => [...new Set(text.split(',').filter(isSource))])
  .register(shown, {
    schema: { type: 'string', pattern: sourcesPattern.source },
    description:
      'Only requests of these sources, with commas between them; all without it. A product call of a session counts as `key`.',
  })

const endpointRule = 'must be a method and a route, such as GET /v1/account'

/** An endpoint, as `usage/summary` and `usage/errors` name it. */
const endpointParam = z
  .string('must be a single text')
  .max(maxEndpointLength, `must have at most ${maxEndpointLength} characters`)
  .regex(endpointPattern, endpointRule)
  .register(shown, {
    schema: { type: 'string', pattern: endpointPattern.source, maxLength: maxEndpointLength },
    description:
      'Only requests to this endpoint: a method and a route with its placeholders, as sums by endpoint name it, such as `GET /v1/contacts/{contact_id}`.',
  })

const serviceParam = z.enum(serviceGroups, `must be one of ${serviceGroups.join(', ')}`).optional()

const groups = ['service', 'endpoint', 'key', 'client', 'external_id'] as const

export const usageRoutes = [
  accountRoute({
    method: 'get',
    path: '/account/usage/log',
    summary: 'Requests of the account, newest first',
    operation: 'ListUsageLog',
    scope: 'usage:read',
    readsUsage: true,
    query: z
      .strictObject({
        ...pageParams,
        ...spanParams,
        service: serviceParam,
        status_class: statusClass.optional(),
        request_id: idValue('req', 'a request').optional(),
        min_credits: integerParam(0, 999_999_999).optional(),
        ...callerParams,
        end_user: endUserValue.optional(),
        source: sources.optional(),
        endpoint: endpointParam.optional(),
        error_code: errorCode.optional(),
        extended: extendedParam(
          'Whether entries say who has called and why a request failed: `key_id`, `source`, `error_code` and so on.',
        ),
      })
      .refine(isSpan, spanRule),
  }),
  accountRoute({
    method: 'get',
    path: '/account/usage/summary',
    summary: 'Requests, credits, success and latency by hour or day',
    description:
      'Counts whole hours or days in UTC, whatever the filters: `from` is rounded down to the beginning of its interval, and `to` up to the end of its interval. The answer has both as they were rounded. By default `to` is now, and `from` a day before it, or 30 days for days.',
    operation: 'SummarizeUsage',
    isExtension: true,
    scope: 'account:read',
    orScope: 'usage:read',
    readsUsage: true,
    sendResult: sendInTurns,
    derived: ({ group_by }) => ({
      by_key: group_by === 'key',
      by_client: group_by === 'client',
      by_external_id: group_by === 'external_id',
    }),
    query: z
      .strictObject({
        ...spanParams,
        interval: z.enum(['hour', 'day'], 'must be hour or day').default('day'),
        group_by: z
          .enum(groups, 'must be service, endpoint, key, client or external_id')
          .default('service'),
        service: serviceParam,
        status_class: statusClass.optional(),
        ...callerParams,
      })
      .refine(isSpan, spanRule),
  }),
  accountRoute({
    method: 'get',
    path: '/account/usage/errors',
    summary: 'Failed requests of the account, grouped by endpoint and status',
    description:
      'Counts the requests of keys and apps that were answered with a status from 400, in the last 7 days unless a span is given. At most the newest 10,000 are counted, and the 100 largest groups are shown.',
    operation: 'ListUsageErrors',
    isExtension: true,
    scope: 'account:read',
    orScope: 'usage:read',
    readsUsage: true,
    query: z
      .strictObject({
        ...spanParams,
        service: serviceParam,
        status_class: z
          .enum(['4xx', '5xx'], 'must be 4xx or 5xx')
          .transform((statusClass) => Number(statusClass.charAt(0)))
          .register(shown, { description: 'Only answers with a status of this class.' })
          .optional(),
        ...callerParams,
        error_code: errorCode.optional(),
        extended: extendedParam(
          'Whether requests with different codes are in different groups, which have `error_code` and `error_message`.',
        ),
      })
      .refine(isSpan, spanRule),
  }),
]
