import type { AuditEvent } from 'credit-gateway-sdk'
import { auditActions, deedOf } from '../../../../schema/vocabulary/audit-actions.ts'
import { type Names, nameOf, whoOf } from './names.ts'

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
  const words = label?.replace('Refused: ', '') ?? result.replaceAll('_', ' ')
  return words.toLowerCase()
}

/** What an event can end with. */
export const resultChoices = [
  { value: 'succeeded', label: 'Done' },
  { value: 'FORBIDDEN', label: 'Refused: not permitted' },
  { value: 'STEP_UP_REQUIRED', label: 'Refused: no recent proof' },
  { value: 'INVALID_REQUEST', label: 'Refused: not valid' },
  { value: 'CONFLICT', label: 'Refused: conflict' },
  { value: 'NOT_FOUND', label: 'Refused: not found' },
]
