import { hash, randomBytes } from 'node:crypto'

/** The prefixes of ids, which name the kind of object (docs/architecture.md §5). */
export type IdPrefix =
  | 'acct'
  | 'key'
  | 'req'
  | 'led'
  | 'lot'
  | 'proc'
  | 'kw'
  | 'pay'
  | 'rfd'
  | 'dsp'
  | 'unm'
  | 'inv'
  | 'pm'
  | 'evt'
  | 'aud'
  | 'tok'
  | 'olk'
  | 'ops'
  | 'app'
  | 'ses'
  | 'plk'
  | 'grant'
  | 'exp'
  | 'whe'
  | 'whd'
  | 'addr'
  | 'mail'
  | 'mem'
  | 'ivt'
  | 'per'
  | 'msi'
  | 'adc'
  | 'psk'

const crockford = '0123456789abcdefghjkmnpqrstvwxyz'
/** All pairs of digits, by the ten bits that they spell. */
const pairs = Array.from(crockford, (first) => Array.from(crockford, (last) => first + last)).flat()
/** The pairs of an id that have random bits. */
const pairsPerId = 7
const poolSize = 293 * pairsPerId
let pool = randomBits()
let poolOffset = 0
let lastMs = -1
let timeDigits = ''
let countInMs = 0

/** One system call serves several hundred ids. */
function randomBits(): Uint16Array {
  const bytes = randomBytes(poolSize * Uint16Array.BYTES_PER_ELEMENT)
  return Uint16Array.from({ length: poolSize }, (_, index) => bytes.readUInt16LE(index * 2))
}

/**
 * A typed, time-ordered id: the prefix, `_`, and 26 characters of Crockford base32 that spell
 * a UUIDv7 (RFC 9562 §5.7). Ids of one process ascend, also within a millisecond: the twelve
 * bits after the time count up (RFC 9562 §6.2, method 1); the other 62 are random.
 */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  if (nowMs === lastMs) countInMs += 1
  else {
    countInMs = 0
    lastMs = nowMs
    timeDigits = digitsOf(nowMs)
  }
  if (poolOffset === poolSize) {
    pool = randomBits()
    poolOffset = 0
  }
  const at = poolOffset
  poolOffset += pairsPerId
  // 128 bits are 26 digits of 5 bits: ten of time, then the version (4 bits) and the count (12),
  // then the variant (2) and 62 random bits.
  const versionAndCount = (0x7 << 6) | ((countInMs >>> 6) & 0x3f)
  const countAndVariant = ((countInMs & 0x3f) << 4) | 0b1000 | ((pool[at] ?? 0) & 0b11)
  return (
    `${prefix}_${timeDigits}${pairs[versionAndCount]}${pairs[countAndVariant]}` +
    pairOf(at + 1) +
    pairOf(at + 2) +
    pairOf(at + 3) +
    pairOf(at + 4) +
    pairOf(at + 5) +
    pairOf(at + 6)
  )
}

/**
 * The id of a text, always the same: a UUIDv8 (RFC 9562 §5.8) of its SHA-256. It is in no order with others.
 */
export function idOfText(prefix: IdPrefix, text: string): string {
  const digest = hash('sha256', text, 'hex')
  const uuid = `${digest.slice(0, 12)}8${digest.slice(13, 16)}8${digest.slice(17, 32)}`
  let digits = ''
  for (let rest = BigInt(`0x${uuid}`); digits.length < 26; rest /= 32n) {
    digits = crockford.charAt(Number(rest % 32n)) + digits
  }
  return `${prefix}_${digits}`
}

function pairOf(at: number): string {
  return pairs[(pool[at] ?? 0) & 0x3ff] ?? ''
}

/** 48 bits behind two that are 0: ten digits. */
function digitsOf(ms: number): string {
  let digits = ''
  for (let rest = ms; digits.length < 10; rest = Math.floor(rest / 32)) {
    digits = crockford.charAt(rest % 32) + digits
  }
  return digits
}

/** The last instant that an id can express (RFC 9562 §5.7): 48 bits. */
const lastIdMs = 2 ** 48 - 1

/**
 * The lowest id of an instant: above every earlier id. Instants outside the range of ids count as
 * the first or the last instant that an id can express.
 */
export function lowestId(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${digitsOf(Math.min(Math.max(ms, 0), lastIdMs))}${'0'.repeat(16)}`
}

/** When an id was made: milliseconds since 1970. */
export function msOfId(id: string): number {
  const [, digits = ''] = id.split('_')
  return Array.from(digits.slice(0, 10)).reduce(
    (ms, digit) => ms * 32 + crockford.indexOf(digit),
    0,
  )
}

const digits = '[0-7][0-9a-hjkmnp-tv-z]{25}'
const allDigits = new RegExp(`^${digits}$`)

/** Whether the text could be an id with this prefix. An ill-formed id names nothing. */
export function isId(prefix: IdPrefix, text: string): boolean {
  if (!text.startsWith(`${prefix}_`)) return false
  return allDigits.test(text.slice(prefix.length + 1))
}

/** The ids that `isId` accepts, as a regular expression. */
export function idPattern(prefix: IdPrefix): string {
  return `^${prefix}_${digits}$`
}

const dotSegment =
  /(?:^|[/\\]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:$|[/\\]|%(?:25)*(?:2f|5c))/i

/**
 * Whether a part of the text between slashes is `.` or `..`, also percent-encoded, once or more
 * often. In the path of a request it would lead to another path: clients and proxies remove such parts
 * before they send the request (RFC 3986 §5.2.4).
 */
export function hasDotSegment(text: string): boolean {
  return dotSegment.test(text)
}

/** What is told to a caller who gives a text with such a part. */
export const dotSegmentRule = 'must not have . or .. as a part between slashes'
