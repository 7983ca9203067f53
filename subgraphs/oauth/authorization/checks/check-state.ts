import { type Check, problem } from './check.ts'
import { isOpaqueText } from './opaque-text.ts'

const maxLength = 4096

/** Opaque, and returned as it came (RFC 6749 §4.1.1, Appendix A.5). */
export const checkState: Check = ({ state }) =>
  state === null || isOpaqueText(state, maxLength)
    ? []
    : problem(
        'state',
        `must have at most ${maxLength} characters, none of them a control character`,
      )
