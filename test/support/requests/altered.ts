/** A token or cursor in base64url whose second last character is another one, so that its bytes differ. */
export function altered(text: string): string {
  return `${text.slice(0, -2)}${text.at(-2) === 'A' ? 'B' : 'A'}${text.slice(-1)}`
}
