import type { AuditEvent, ErrorCode } from 'credit-gateway-sdk'
import { auditActions, deedOf } from '../../../../schema/vocabulary/audit-actions.ts'
import type { Names } from '../../format/names.ts'
import { nameOf, whoOf } from './names.ts'

/** "Ada created the key “Mine”", or "Ada could not create the key". */
export function sentenceOf(event: AuditEvent, names: Names): string {
  const { action, result } = event
  const who = whoOf(event, names)
  const name = nameOf(event, names)
  const deed = deedOf(action, result)
  if (!deed) {
    const did = result === 'succeeded' ? 'did' : 'could not do'
    return [who, did, action, name].filter(Boolean).join(' ')
  }
  const { past, object } = deed
  if (!name) return `${who} ${past} ${object.replace(/ of$/, '')}`
  // An object with an article of its own, such as "a sign-in link", has no name that says more.
  const isNamed = object.startsWith('the ') || object.endsWith(' of')
  return [who, past, object, ...(isNamed ? [name] : [])].join(' ')
}

/** Every action in words, for the filter: "Key: create". */
export const actionChoices = Object.entries(auditActions)
  .map(([value, { verb, object }]) => ({ value, label: capital(`${verb} ${object}`) }))
  .toSorted((a, b) => a.label.localeCompare(b.label))

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What an event ended with, in a word: done, or why it was refused. */
export function resultOf(result: string): string {
  const label = resultChoices.find(({ value }) => value === result)?.label
  const words = label?.replace(/^.*: /, '') ?? result.replaceAll('_', ' ')
  return words.toLowerCase()
}

/** Codes that no change ends with: they are those of calls of products, and of what is no request of the API. */
type Unrecorded =
  | 'BAD_REQUEST'
  | 'INSUFFICIENT_CREDITS'
  | 'BUDGET_EXCEEDED'
  | 'METHOD_NOT_ALLOWED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'BACKEND_ERROR'
  | 'BACKEND_TIMEOUT'

const labels: Readonly<Record<Exclude<ErrorCode, Unrecorded>, string>> = {
  FORBIDDEN: 'Refused: not permitted',
  STEP_UP_REQUIRED: 'Refused: no recent proof',
  INVALID_REQUEST: 'Refused: not valid',
  CONFLICT: 'Refused: conflict',
  IDEMPOTENCY_CONFLICT: 'Refused: idempotency key of another caller',
  NOT_FOUND: 'Refused: not found',
  IP_NOT_ALLOWED: 'Refused: address not allowed',
  INVALID_API_KEY: 'Refused: key not accepted',
  AUTHENTICATION_REQUIRED: 'Refused: not signed in',
  ACCOUNT_SUSPENDED: 'Refused: account suspended',
  PAYMENT_DECLINED: 'Refused: payment declined',
  RATE_LIMIT_EXCEEDED: 'Refused: too often',
  SERVICE_UNAVAILABLE: 'Failed: not available',
  INTERNAL_ERROR: 'Failed: internal error',
}

/** What an event can end with. */
export const resultChoices = [
  { value: 'succeeded', label: 'Done' },
  ...Object.entries(labels).map(([value, label]) => ({ value, label })),
]
