/** RFC 5321 §4.5.3.1.3: a path has 256 characters, two of them around the address. */
export const maxAddressLength = 254

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const address = new RegExp(
  `^(?=.{1,64}@)${atom}(?:\\.${atom})*@(?:${label}\\.)+(?=.*[A-Za-z])${label}$`,
)

/**
 * Whether people can be invited by this address, and sign in with it: atoms and dots before `@` (RFC 5322 §3.2.3), and a
 * fully qualified domain after it (RFC 5321 §2.3.5). Letters beyond ASCII are refused: many mail systems do not deliver
 * to them (RFC 6531), and some look like others. A domain that has some is written in its ASCII form, `xn--…`.
 */
export function isMailAddress(text: string): boolean {
  return text.length <= maxAddressLength && address.test(text)
}
