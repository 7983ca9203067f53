/** The pages that get a secret behind the `#` of their address. */
const doors = /\/(portal|handover|invitation|sign-in|confirm-address)\/?$/

/**
 * The secret of a link, taken from the address before anything else runs: so it is in no history,
 * and the browser's "back" does not restore it.
 */
export const secretOfLink = takeSecret()

function takeSecret(): string {
  if (!doors.test(location.pathname)) return ''
  const secret = location.hash.slice(1)
  if (secret !== '') history.replaceState(history.state, '', location.pathname)
  return secret
}
