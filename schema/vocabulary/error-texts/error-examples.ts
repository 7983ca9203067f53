import { defaultAddresses } from '../default-addresses.ts'
import type {
  ErrorCode,
  OAuthErrorCode,
  Remedy,
  StepUpDetail,
  SuspensionDetail,
} from '../error-codes.ts'

/** Example messages for the documentation, where the tests have recorded no better one. */
const messages: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'This is not a valid HTTP request.',
  AUTHENTICATION_REQUIRED: 'Send an API key in the header "Authorization: Bearer <API_KEY>".',
  INVALID_API_KEY: 'This API key is not valid here.',
  INSUFFICIENT_CREDITS: 'This request can cost 5 credits; 3 are available.',
  BUDGET_EXCEEDED:
    'This request can cost 5 credits; a budget of the API key has 3 left for the day.',
  PAYMENT_DECLINED:
    'The payment was not collected, and the plan is as it was. The card was declined.',
  IP_NOT_ALLOWED: 'This API key may not be used from this address.',
  FORBIDDEN: 'This API key lacks the scope account:read.',
  ACCOUNT_SUSPENDED: 'This account is suspended. Contact support@gateway.example.',
  STEP_UP_REQUIRED: 'Prove again who is at the browser: the last proof is too old for this.',
  NOT_FOUND: 'No API key has this id.',
  METHOD_NOT_ALLOWED: 'PUT is not possible here; GET, HEAD is.',
  CONFLICT: 'This API key is revoked.',
  IDEMPOTENCY_CONFLICT: 'The first request with this idempotency key is still running.',
  PAYLOAD_TOO_LARGE: 'The body exceeds 1 MiB.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as application/json.',
  INVALID_REQUEST: 'limit: must be an integer from 1 to 200',
  RATE_LIMIT_EXCEEDED: 'The limit of 100 requests per second is exceeded.',
  INTERNAL_ERROR: 'Something went wrong on our side.',
  BACKEND_ERROR: 'contact-finder did not answer properly.',
  SERVICE_UNAVAILABLE: 'The database is unavailable at the moment.',
  BACKEND_TIMEOUT: 'contact-finder did not answer in time.',
}

const details = [{ field: 'limit', in: 'query', message: 'must be an integer from 1 to 200' }]

const stepUp: StepUpDetail = {
  methods: ['portal_link'],
  return_url: 'https://app.example.com/billing',
}

const suspension: SuspensionDetail = { contact: 'support@gateway.example' }

const remedy: Remedy = {
  needed: 5,
  spendable: 3,
  affordable_units: null,
  top_up_url: 'https://gateway.example/console/billing',
  package: { id: 'pack_starter', credits: 1000, price_cents: 1000, currency: 'USD' },
}

export function errorExample(code: ErrorCode, status: number): Readonly<Record<string, unknown>> {
  const page = code === 'RATE_LIMIT_EXCEEDED' ? 'rate-limits' : `errors/${code}`
  return {
    error: {
      code,
      message: messages[code],
      status,
      documentation_url: `${defaultAddresses.docsUrl}/${page}`,
      request_id: 'req_01kg8mz2kqe7vtf0pm6n5d3c4b',
      ...(code === 'INVALID_REQUEST' && { details }),
      ...(code === 'INSUFFICIENT_CREDITS' && { remedy }),
      ...(code === 'ACCOUNT_SUSPENDED' && { details: suspension }),
      ...(code === 'STEP_UP_REQUIRED' && { details: stepUp }),
    },
  }
}

export function oauthExample(code: OAuthErrorCode): Readonly<Record<string, unknown>> {
  return {
    error: code,
    error_description: 'The reason, in a sentence.',
    error_uri: `${defaultAddresses.docsUrl}/errors/${code}`,
  }
}
