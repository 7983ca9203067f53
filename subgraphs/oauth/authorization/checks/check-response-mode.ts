import { type Check, problem } from './check.ts'

/** The answer is in the query (OAuth 2.0 Multiple Response Types §2.1). */
export const checkResponseMode: Check = ({ responseMode }) =>
  responseMode === null || responseMode === 'query'
    ? []
    : problem('response_mode', 'must be query', 'unsupported_response_mode')
