import { isIP } from 'node:net'
import { z } from 'zod'
import { isAddressRange } from '../../../schema/vocabulary/ip-allowlist.ts'
import {
  parseRedisUrl,
  type RedisAddress,
  redisUrlRule,
} from '../../processes/redis/redis-address.ts'

export const port = integer(0, 65_535)
export const url = z.url({
  protocol: /^https?$/,
  message: 'must be an http or https URL',
  abort: true,
})
/** OpenID Connect Discovery §3: an issuer has neither query nor fragment. */
export const issuer = url.refine((text) => {
  const { username, password } = new URL(text)
  return !/[?#]/.test(text) && `${username}${password}` === ''
}, 'must have neither query nor fragment, and no credentials')
export const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  message: 'must be a postgres:// URL',
})

export const redisUrl = z.string().transform((text, context): RedisAddress => {
  const address = parseRedisUrl(text)
  if (address) return address
  context.addIssue({ code: 'custom', message: redisUrlRule })
  return z.NEVER
})

export function integer(min: number, max: number) {
  const message = `must be an integer from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,9}$/, message)
    .transform(Number)
    .refine((number) => number >= min && number <= max, message)
}

export function isOrigin(text: string): boolean {
  const { origin, href } = new URL(text)
  return href === `${origin}/`
}

/** The durations that a billing period can have. */
const durations = /^P(?:(?:[1-9]|10)Y|[1-9]\d?M|[1-9]\d{0,2}[WD]|T[1-9]\d{0,4}[HMS])$/
export const duration = z
  .string()
  .regex(durations, 'must be an ISO 8601 duration in one unit, such as P1M, P2W or PT90S')

export const thresholds = z
  .string()
  .regex(/^\d{1,15}(,\d{1,15}){0,9}$/, 'must be up to ten amounts of credits')
  .or(z.literal('none').transform(() => ''))
  .transform((text) => text.split(',').filter(Boolean).map(Number))
  .refine((amounts) => amounts.every((amount) => amount > 0), 'must be amounts from 1')

export const cidrs = z
  .string()
  .transform((text): readonly string[] => text.split(',').map((range) => range.trim()))
  .refine(
    (ranges) => ranges.every(isAddressRange),
    'must be a comma-separated list of addresses and CIDR blocks',
  )

const hostNameForm = /^[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?$/i

/** A name, and no address of digits. */
export const hostName = z
  .string()
  .toLowerCase()
  .regex(hostNameForm, 'must be a host name, without scheme and port')
  .refine((name) => isIP(name) === 0, 'must be a name, not an address of digits')

export const hostNames = z
  .string()
  .transform((text): readonly string[] => text.split(',').map((name) => name.trim()))
  .refine(
    (names) => names.every((name) => hostNameForm.test(name)),
    'must be a comma-separated list of host names, without ports',
  )

export const retrySeconds = z
  .string()
  .regex(/^\d{1,6}(,\d{1,6}){0,19}$/, 'must be up to twenty pauses in seconds')
  .transform((text): readonly number[] => text.split(',').map(Number))

/** An origin as a browser writes it. Patterns are not supported. */
function isWebOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text
}

export const origins = z.string().transform((text, context): readonly string[] => {
  const list = text.split(',').map((origin) => origin.trim())
  if (list.every(isWebOrigin)) return list
  const message = 'must be a comma-separated list of origins: http or https, host and port alone'
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

export const originAlone = url.refine(isOrigin, 'must be scheme, host and port alone')
