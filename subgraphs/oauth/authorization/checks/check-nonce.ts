import { type Check, problem } from './check.ts'
import { isOpaqueText } from './opaque-text.ts'

const maxLength = 512

/** Opaque; the id token repeats it (OpenID Connect Core §3.1.2.1). */
export const checkNonce: Check = ({ nonce }) =>
  nonce === null || isOpaqueText(nonce, maxLength)
    ? []
    : problem(
        'nonce',
        `must have at most ${maxLength} characters, none of them a control character`,
      )
