import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditEvent } from 'credit-gateway-sdk'
import { describe, expect, test } from 'vitest'
import type { Names } from '../../../console/src/format/names.ts'
import { resultChoices, resultOf, sentenceOf } from '../../../console/src/routes/audit/sentence.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { auditActions } from '../../../schema/vocabulary/audit-actions.ts'
import { statusByErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'

const keyId = newId('key')
const names: Names = new Map([[keyId, 'fc']])
const refusals = [...Object.keys(statusByErrorCode), 'invalid_client', 'invalid_grant']

function sentence(event: Partial<AuditEvent>): string {
  const byKey = { actor_kind: 'key', actor_id: keyId, result: 'succeeded', details: {} }
  return sentenceOf({ ...byKey, resource_id: null, ...event } as AuditEvent, names)
}

describe('the sentence about an event', () => {
  test.each(refusals)('says with %s that who was refused access was refused it', (result) => {
    expect(sentence({ action: 'access.deny', result })).toBe('The key “fc” was refused access')
  })

  const actions = Object.keys(auditActions).filter((action) => action !== 'access.deny')
  test.each(actions)('about %s says what was done, or could not be done', (action) => {
    const { past, verb, object } = auditActions[action] ?? { past: '', verb: '', object: '' }
    const short = object.replace(/ of$/, '')
    const done = sentence({ action })
    expect(done).toMatch(/^(The key “fc”|Support|The gateway) [a-z]/)
    expect(done.endsWith(` ${past} ${short}`)).toBe(true)
    for (const result of refusals) {
      expect(sentence({ action, result }).endsWith(` could not ${verb} ${short}`)).toBe(true)
    }
  })

  test.each(Object.entries(auditActions))(
    'about %s has its object after its verb',
    (_action, words) => {
      expect(words.verb.split(' ').slice(1)).toEqual(words.past.split(' ').slice(1))
      expect(`${words.past} ${words.verb}`).not.toMatch(/twice|again|anew|not /)
      expect(words.object).toMatch(
        /^(the|a|an|all|this|how|what) |^(access|credits|jobs|auto-recharge|events of)/,
      )
    },
  )

  test.each([
    [{ action: 'key.update', resource_id: keyId }, 'The key “fc” changed the key “fc”'],
    [
      { action: 'external_id.update', resource_id: 'north-wind-trading' },
      'The key “fc” changed the budgets of the customer “north-wind-trading”',
    ],
    [
      { action: 'budget.change', resource_id: 'account' },
      'The key “fc” changed the budgets of the account',
    ],
    [
      { action: 'webhook.test', resource_id: 'whe_01m8fj3ygjf0sbt8a2q0v6c2xk' },
      'The key “fc” tested the webhook endpoint …v6c2xk',
    ],
    [
      { action: 'member.resend', actor_kind: 'session', actor_id: 'Ada', details: { name: 'Bo' } },
      'Ada resent the invitation of “Bo”',
    ],
    [{ action: 'member.resend', actor_kind: 'internal' }, 'The operator resent the invitation'],
    [
      { action: 'session.end_all', actor_kind: 'anonymous', result: 'CONFLICT' },
      'Somebody unknown could not end all sessions',
    ],
    [
      { action: 'future.action', actor_kind: 'system', result: 'FORBIDDEN' },
      'The gateway could not do future.action',
    ],
    [
      { action: 'passkey.disable', actor_kind: 'anonymous' },
      'The gateway disabled a passkey that may have been copied',
    ],
  ])('names the object where it has a name: %j', (event, text) => {
    expect(sentence(event as Partial<AuditEvent>)).toBe(text)
  })
})

test.each(['succeeded', ...refusals])('the result %s is told in words', (result) => {
  expect(resultOf(result)).toMatch(/^[a-z][a-z ]+$/)
})

/** The codes that a pattern finds in the sources of a folder. */
function codesIn(folder: string, pattern: RegExp): string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: projectRoot }).flatMap((file) =>
    [...readFileSync(join(projectRoot, file), 'utf8').matchAll(pattern)].map(
      ([, code = '']) => code,
    ),
  )
}

test('the results to choose are all that the trail can have: what fails a change, and what refuses its caller', () => {
  const results = new Set([
    ...codesIn('subgraphs', /new DomainError\(\s*'([A-Z_]+)'/g),
    ...codesIn('rest-facade', /trail\.note\([^']*'([A-Z_]+)'/g),
    // The steps note what they refuse with, `invalidRequest` throws for the subgraphs, and what nobody expected fails.
    ...['IP_NOT_ALLOWED', 'ACCOUNT_SUSPENDED', 'INVALID_REQUEST', 'INTERNAL_ERROR'],
  ])
  expect(resultChoices.map(({ value }) => value).toSorted()).toEqual(
    ['succeeded', ...results].toSorted(),
  )
})
