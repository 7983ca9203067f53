import type { ErrorCode } from '../error-codes.ts'

/**
 * The meaning of each code in Markdown, for the OpenAPI document and the pages of the
 * documentation.
 */
export const meaningOf: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request is not valid HTTP, or the product refused it as a bad request.',
  AUTHENTICATION_REQUIRED:
    'The request carries no API key, or not in the form in which one is expected.',
  INVALID_API_KEY:
    'A key was presented, but it is not one that counts here. The answer does not say why, so that nobody learns which keys exist. Only a key that has the form of one of the other environment is told so.',
  INSUFFICIENT_CREDITS:
    'The balance, less what calls in progress may still cost, does not cover the most that this request can cost. Nothing was sent to the product and nothing was charged.',
  BUDGET_EXCEEDED:
    'A budget of the API key, of the consent, of the external id or of the account does not cover the most that this request can cost. `error.details` shows each budget that refuses. Nothing was sent to the product and nothing was charged.',
  PAYMENT_DECLINED:
    'The payment for a plan was declined. Nothing was charged, and the plan is as it was. The message has the reason.',
  IP_NOT_ALLOWED: 'The key is valid, but may not be used from the address the request came from.',
  FORBIDDEN:
    'The credential is genuine or well formed, but does not permit this: the scopes of the key or access token do not cover the operation, a link is not valid any more, or a page of another origin asks.',
  ACCOUNT_SUSPENDED:
    'The key, access token or session is genuine, but the provider of this API has suspended its account. `error.details.contact` says whom to ask.',
  STEP_UP_REQUIRED:
    'The session of the browser is valid, but what it asks for needs a fresh proof of who is there. `error.details` says what counts as one. API keys never get this answer.',
  NOT_FOUND: 'Nothing is at this path, or the object it names is not one of yours.',
  METHOD_NOT_ALLOWED: 'The path exists, but not with this method.',
  CONFLICT: 'The request is right, but the object is not in a state that permits it.',
  IDEMPOTENCY_CONFLICT: 'The first request with this idempotency key cannot be repeated right now.',
  PAYLOAD_TOO_LARGE:
    'The body is larger than 1 MiB, also when that shows only after decompression.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not in the format that this endpoint reads.',
  INVALID_REQUEST:
    'Something in the path, query, headers or body is not as this operation needs it. The message and `error.details` name every offending field at once. Nothing was charged.',
  RATE_LIMIT_EXCEEDED:
    'More requests came in this second or at once than your account may send, those that are no product calls took more time than it has, or more of its payments were declined in this hour than may be. Nothing was done and nothing was charged.',
  INTERNAL_ERROR: 'Something went wrong on our side that we did not foresee. Nothing was charged.',
  BACKEND_ERROR:
    'The product behind the gateway failed, or answered what could not be understood. Nothing was charged.',
  SERVICE_UNAVAILABLE: 'The gateway cannot serve this request at the moment. It will in a while.',
  BACKEND_TIMEOUT:
    'The product took too long. The gateway stopped waiting, and nothing was charged.',
}
