/** The pages that get a secret behind the `#` of their address. */
const doors = /\/(portal|handover)\/?$/

/**
 * The secret of a link, taken from the address before anything else runs: so it stands in no history, and
 * going back does not bring it back.
 */
export const secretOfLink = takeSecret()

function takeSecret(): string {
  if (!doors.test(location.pathname)) return ''
  const secret = location.hash.slice(1)
  if (secret !== '') history.replaceState(history.state, '', location.pathname)
  return secret
}
