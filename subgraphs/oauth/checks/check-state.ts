import { type Check, problem } from '../authorization-request.ts'

const maxLength = 4096

/** Opaque, and given back as it came (RFC 6749 §4.1.1, Appendix A.5). */
export const checkState: Check = ({ state }) =>
  state === null || (state.length <= maxLength && isVisible(state))
    ? []
    : problem(
        'state',
        `must have at most ${maxLength} characters, none of them a control character`,
      )

function isVisible(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed()
}
