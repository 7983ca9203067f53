import { randomBytes } from 'node:crypto'

/** The prefixes of ids, which name the kind of object (docs/architecture.md §5). */
export type IdPrefix =
  | 'acct'
  | 'key'
  | 'req'
  | 'led'
  | 'proc'
  | 'kw'
  | 'pay'
  | 'inv'
  | 'evt'
  | 'aud'
  | 'tok'
  | 'app'
  | 'ses'
  | 'grant'
  | 'exp'
  | 'whe'
  | 'whd'

const crockford = '0123456789abcdefghjkmnpqrstvwxyz'
const poolBytes = 4096
let pool = randomBytes(poolBytes)
let poolOffset = 0
let lastMs = 0
let countInMs = 0

/**
 * A typed, time-ordered id: the prefix, `_`, and 26 characters of Crockford base32 that spell
 * a UUIDv7 (RFC 9562 §5.7). Ids of one process ascend, also within a millisecond: the twelve
 * bits after the time count up (RFC 9562 §6.2, method 1); the other 62 are random.
 */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  countInMs = nowMs === lastMs ? countInMs + 1 : 0
  lastMs = nowMs
  const random = take(8)
  let text = `${prefix}_`
  // 128 bits are 26 digits of 5 bits; the leading digit holds only the 3 topmost.
  let buffer = 0
  let bits = 2
  for (let index = 0; index < 16; index += 1) {
    buffer = ((buffer & 0x1f) << 8) | uuidByte(index, nowMs, random)
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += crockford.charAt((buffer >>> bits) & 0x1f)
    }
  }
  return text
}

/** The last instant that an id can express (RFC 9562 §5.7): 48 bits. */
const lastIdMs = 2 ** 48 - 1

/**
 * The lowest id of an instant: above every earlier id. Instants outside the range of ids count as
 * the first or the last instant that an id can express.
 */
export function lowestId(prefix: IdPrefix, ms: number): string {
  let time = ''
  // 48 bits behind two that are 0: ten digits.
  for (
    let rest = Math.min(Math.max(ms, 0), lastIdMs);
    time.length < 10;
    rest = Math.floor(rest / 32)
  ) {
    time = crockford.charAt(rest % 32) + time
  }
  return `${prefix}_${time}${'0'.repeat(16)}`
}

const digits = '[0-7][0-9a-hjkmnp-tv-z]{25}'
const allDigits = new RegExp(`^${digits}$`)

/** Whether the text could be an id with this prefix. An ill-formed id names nothing. */
export function isId(prefix: IdPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`)) return false
  return allDigits.test(text.slice(prefix.length + 1))
}

/** What `isId` accepts, as a regular expression. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_${digits}$`
}

function uuidByte(index: number, nowMs: number, random: Uint8Array): number {
  if (index < 6) return Math.floor(nowMs / 2 ** (8 * (5 - index))) & 0xff
  if (index === 6) return 0x70 | ((countInMs >>> 8) & 0x0f)
  if (index === 7) return countInMs & 0xff
  if (index === 8) return 0x80 | ((random[0] ?? 0) & 0x3f)
  return random[index - 8] ?? 0
}

/** One system call serves several hundred ids. */
function take(length: number): Uint8Array {
  if (poolOffset + length > poolBytes) {
    pool = randomBytes(poolBytes)
    poolOffset = 0
  }
  poolOffset += length
  return pool.subarray(poolOffset - length, poolOffset)
}
