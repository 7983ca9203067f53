import { type Check, problem } from './check.ts'

/** Only codes are issued (RFC 6749 §3.1.1; OAuth 2.0 Security BCP §2.1.2). */
export const checkResponseType: Check = ({ responseType }) =>
  responseType === null || responseType === 'code'
    ? []
    : problem('response_type', 'must be code', 'unsupported_response_type')
