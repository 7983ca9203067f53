import {
  budgetDetail,
  type ErrorCode,
  fieldError,
  type OAuthErrorCode,
  remedy,
  statusByErrorCode,
  stepUpDetail,
  suspensionDetail,
} from '../../../schema/vocabulary/error-codes.ts'
import type { Components } from '../components/components.ts'
import type { Json } from '../components/json.ts'
import { jsonSchemaOf } from '../components/request-schema.ts'

interface Envelope {
  readonly status: number
  readonly codes: readonly ErrorCode[]
  readonly isAuthorization: boolean
}

const members = {
  code: {
    type: 'string',
    description: 'The code of the error, for programs.',
    enum: Object.keys(statusByErrorCode),
  },
  message: { type: 'string', description: 'The same for people; its wording may change.' },
  status: { type: 'integer', description: 'The HTTP status.' },
  documentation_url: {
    type: 'string',
    format: 'uri',
    description: 'A page about this code.',
  },
  request_id: { type: 'string', description: '`req_…`, as in `X-Request-Id`.' },
  request_log_url: {
    type: 'string',
    format: 'uri',
    description:
      'The page of the console with the usage-log entry of the request, for callers with `usage:read`.',
  },
}

const authorizationMembers = {
  oauth_error: { type: 'string', description: 'The code that OAuth has for it.' },
  redirect_to: {
    type: 'string',
    description: 'Where the browser should go, where the app is known and may be told.',
  },
}

const oauthError = closed('A protocol error of OAuth (RFC 6749 §5.2).', {
  error: { type: 'string', description: 'The code of the error, for programs.' },
  error_description: { type: 'string', description: 'The same for people.' },
  error_uri: { type: 'string', format: 'uri', description: 'A page about it.' },
})

/**
 * The bodies of errors: shared schemas with open codes, narrowed to the codes of each operation.
 */
export function errorSchemas(components: Components) {
  function wrapped(name: string, error: Json): Json {
    return components.add('schemas', `${name}Envelope`, {
      ...closed('The body of every failure.', { error: components.add('schemas', name, error) }),
    })
  }

  function shape(codes: readonly ErrorCode[], isAuthorization: boolean): Json {
    if (codes.includes('BUDGET_EXCEEDED')) {
      const details = {
        type: 'array',
        description: 'With BUDGET_EXCEEDED: every budget that refuses.',
        items: components.add('schemas', 'BudgetDetail', jsonSchemaOf(budgetDetail, 'output')),
      }
      const paid = {
        ...members,
        details,
        remedy: components.add('schemas', 'Remedy', jsonSchemaOf(remedy, 'output')),
      }
      const error = closed('Why a request is not paid for.', paid, ['details', 'remedy'])
      return wrapped('PaymentError', error)
    }
    if (codes.includes('ACCOUNT_SUSPENDED')) return accessError(codes.includes('STEP_UP_REQUIRED'))
    if (!codes.includes('INVALID_REQUEST')) {
      return wrapped('Error', closed('Why a request failed.', members))
    }
    const details = {
      type: 'array',
      description: 'Every offending field, up to a hundred.',
      items: components.add('schemas', 'FieldError', jsonSchemaOf(fieldError, 'output')),
    }
    const invalid = { ...members, details }
    if (!isAuthorization) {
      return wrapped('ValidationError', closed('Why a request is not valid.', invalid))
    }
    const error = { ...invalid, ...authorizationMembers }
    const optional = Object.keys(authorizationMembers)
    return wrapped('AuthorizationError', closed('Why nobody can be asked.', error, optional))
  }

  function accessError(mayNeedProof: boolean): Json {
    const suspension = components.add(
      'schemas',
      'SuspensionDetail',
      jsonSchemaOf(suspensionDetail, 'output'),
    )
    if (!mayNeedProof) {
      const details = { description: 'With ACCOUNT_SUSPENDED: whom to ask.', allOf: [suspension] }
      const error = closed('Why a caller may not do this.', { ...members, details }, ['details'])
      return wrapped('AccessError', error)
    }
    const stepUp = components.add('schemas', 'StepUpDetail', jsonSchemaOf(stepUpDetail, 'output'))
    const details = {
      description:
        'With STEP_UP_REQUIRED: what counts as a proof. With ACCOUNT_SUSPENDED: whom to ask.',
      anyOf: [stepUp, suspension],
    }
    const error = closed('Why a session may not do this.', { ...members, details }, ['details'])
    return wrapped('SessionError', error)
  }

  return {
    /** The envelope of one status, with its codes and no others. */
    envelope({ status, codes, isAuthorization }: Envelope): Json {
      const narrowed = { code: { enum: codes }, status: { const: status } }
      const narrowing = { properties: { error: { properties: narrowed } } }
      return { allOf: [shape(codes, isAuthorization), narrowing] }
    },
    /** RFC 6749 §5.2. */
    oauth(codes: readonly OAuthErrorCode[]): Json {
      const reference = components.add('schemas', 'OAuthError', oauthError)
      return { allOf: [reference, { properties: { error: { enum: codes } } }] }
    },
  }
}

function closed(description: string, properties: Json, optional: readonly string[] = []): Json {
  const left = [...optional, 'request_log_url']
  const required = Object.keys(properties).filter((name) => !left.includes(name))
  return { type: 'object', description, properties, required, additionalProperties: false }
}
