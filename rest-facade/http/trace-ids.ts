import { randomBytes } from 'node:crypto'

let digits = ''

/** Random hexadecimal digits; asking for many at once is cheaper. */
function randomDigits(length: number): string {
  if (digits.length < length) digits = randomBytes(2048).toString('hex')
  const taken = digits.slice(0, length)
  digits = digits.slice(length)
  return taken
}

/** A trace id of W3C Trace Context. It is not all zero: that has one chance in 2^128. */
export function newTraceId(): string {
  return randomDigits(32)
}

/** The id of a span, as a parent in W3C Trace Context. */
export function newSpanId(): string {
  return randomDigits(16)
}
