import { isUtf8 } from 'node:buffer'

/**
 * The mistake in bytes that should be UTF-8; null if they are. Decoding would put the same character in
 * the place of different bytes. The place, counted from 0, is looked for only in a refusal.
 */
export function utf8Problem(bytes: Buffer): string | null {
  return isUtf8(bytes) ? null : `byte ${firstWrong(bytes)} is not UTF-8`
}

function firstWrong(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString('utf8'))
  let at = 0
  while (decoded[at] === bytes[at]) at += 1
  // The wrong bytes may begin like the character that took their place, so the place is where that
  // character begins.
  while (isInside(decoded[at])) at -= 1
  return at
}

/** Whether a byte goes on with a character. */
function isInside(byte = 0): boolean {
  return (byte & 0xc0) === 0x80
}
