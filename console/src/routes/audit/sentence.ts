import type { AuditEvent } from 'credit-gateway-sdk'
import { auditActions } from '../../../../schema/vocabulary/audit-actions.ts'
import { type Names, nameOf, whoOf } from './names.ts'

/** "Ada created the key “Mine”", or "Ada could not create the key". */
export function sentenceOf(event: AuditEvent, names: Names): string {
  const who = whoOf(event, names)
  const known = auditActions[event.action]
  const name = nameOf(event, names)
  const isDone = event.result === 'succeeded'
  if (!known) return [who, isDone ? 'did' : 'could not do', event.action, name].join(' ').trim()
  const verb = isDone ? known.past : `could not ${known.verb}`
  // An object with an article of its own, such as "a sign-in link", has no name that says more.
  const isNamed = known.object.startsWith('the ') || known.object.endsWith(' of')
  return [who, verb, known.object, isNamed ? name : null].filter(Boolean).join(' ')
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
  return label?.replace('Refused: ', '').toLowerCase() ?? result
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
