import { type Check, problem } from './check.ts'

/**
 * Request objects and self-issued registration are not supported (OpenID Connect Core §6, §7.2.1).
 */
export const checkRequestObject: Check = ({ request, requestUri, registration }) => [
  ...(request === null ? [] : problem('request', 'is not supported', 'request_not_supported')),
  ...(requestUri === null
    ? []
    : problem('request_uri', 'is not supported', 'request_uri_not_supported')),
  ...(registration === null
    ? []
    : problem('registration', 'is not supported', 'registration_not_supported')),
]
