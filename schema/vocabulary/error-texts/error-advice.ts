import type { ErrorCode } from '../error-codes.ts'

interface ErrorAdvice {
  /** What went wrong, in one sentence: `error_message` of a usage-log entry. */
  readonly happened: string
  /** What the caller can do now, in one sentence. */
  readonly next: string
}

/** What the usage log, the console and the page of each code say in two sentences of plain text. */
export const adviceOf: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  BAD_REQUEST: {
    happened: 'The request was not valid HTTP, or the product refused it.',
    next: 'Read the message of the answer, and send the request with an HTTP library.',
  },
  AUTHENTICATION_REQUIRED: {
    happened: 'The request had no API key.',
    next: 'Send the key in the header "Authorization: Bearer <API_KEY>".',
  },
  INVALID_API_KEY: {
    happened: 'The API key or access token was not one that counts here.',
    next: 'Check that the key is active, and that it belongs to this environment.',
  },
  INSUFFICIENT_CREDITS: {
    happened: 'The available credits did not cover what the request could cost.',
    next: 'Buy credits, or ask for less at once.',
  },
  BUDGET_EXCEEDED: {
    happened: 'A budget did not cover what the request could cost.',
    next: 'Raise the budget, wait until it resets, or ask for less at once.',
  },
  PAYMENT_DECLINED: {
    happened: 'The payment for the plan was declined.',
    next: 'Choose another payment method, and change the plan again.',
  },
  IP_NOT_ALLOWED: {
    happened: 'The request came from an address that the key does not allow.',
    next: 'Add the address to the allowlist of the key.',
  },
  FORBIDDEN: {
    happened: 'The key, access token or role did not permit this.',
    next: 'Use a key that has the scope, or add the scope to this key.',
  },
  ACCOUNT_SUSPENDED: {
    happened: 'The account was suspended.',
    next: 'Ask the provider of this API why.',
  },
  STEP_UP_REQUIRED: {
    happened: 'The change needed a fresh proof of who is at the browser.',
    next: 'Prove again who you are, and repeat the change.',
  },
  NOT_FOUND: {
    happened: 'Nothing was at this path, or the object was not one of this account.',
    next: 'Check the path and the id.',
  },
  METHOD_NOT_ALLOWED: {
    happened: 'The path does not take this method.',
    next: 'Use a method that the header "Allow" of the answer lists.',
  },
  CONFLICT: {
    happened: 'The object was not in a state that permits this.',
    next: 'Read the object, and decide again.',
  },
  IDEMPOTENCY_CONFLICT: {
    happened: 'The first request with this idempotency key was still running.',
    next: 'Wait a second, and send the same request again.',
  },
  PAYLOAD_TOO_LARGE: {
    happened: 'The body was larger than 1 MiB.',
    next: 'Send less in one request.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    happened: 'The body was not in a format that the endpoint reads.',
    next: 'Send JSON with "Content-Type: application/json".',
  },
  INVALID_REQUEST: {
    happened: 'Something in the path, query, headers or body did not fit.',
    next: 'Correct the fields that are named, and send the request again.',
  },
  RATE_LIMIT_EXCEEDED: {
    happened: 'The account sent more at once than its limit allows.',
    next: 'Wait as long as "Retry-After" says, and spread the requests.',
  },
  INTERNAL_ERROR: {
    happened: 'Something went wrong on our side that we did not foresee.',
    next: 'Send the request again, and tell the provider the request id if it fails again.',
  },
  BACKEND_ERROR: {
    happened: 'The product behind the gateway failed.',
    next: 'Send the request again in a moment.',
  },
  SERVICE_UNAVAILABLE: {
    happened: 'The gateway could not serve the request at that moment.',
    next: 'Wait as long as "Retry-After" says, and send the request again.',
  },
  BACKEND_TIMEOUT: {
    happened: 'The product took too long to answer.',
    next: 'Send the request again, or ask for less at once.',
  },
}
