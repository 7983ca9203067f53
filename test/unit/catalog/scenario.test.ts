import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { keptStatuses } from '../../../rest-facade/backends/backend-answer.ts'
import { parseScenario, scenarios } from '../../../schema/catalog/scenario.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

describe('X-Sandbox-Scenario', () => {
  test.each([
    ['ok', { kind: 'ok' }],
    ['empty', { kind: 'empty' }],
    ['reset', { kind: 'reset' }],
    ['insufficient_credits', { kind: 'insufficient_credits' }],
    ['hang_up', { kind: 'hang_up' }],
    [' ok ', { kind: 'ok' }],
    ['slow=0', { kind: 'slow', durationMs: 0 }],
    ['slow=60000', { kind: 'slow', durationMs: 60_000 }],
    ['status=400', { kind: 'status', status: 400 }],
    ['status=599', { kind: 'status', status: 599 }],
    ['units=0', { kind: 'units', units: 0 }],
    ['units=100000', { kind: 'units', units: 100_000 }],
  ])('%j is accepted', (header, scenario) => {
    expect(parseScenario(header)).toEqual(scenario)
  })

  test.each([
    '',
    ' ',
    'OK',
    'okay',
    'ok=',
    'ok=1',
    'empty=1',
    'slow',
    'slow=',
    'slow=-1',
    'slow=1.5',
    'slow=1e3',
    'slow=60001',
    'slow=1=2',
    'status',
    'status=200',
    'status=399',
    'status=600',
    'status=4xx',
    'units',
    'units=-1',
    'units=100001',
    'units=9999999',
    'ok, empty',
    'hang_up=1',
    'hang-up',
    'toString',
    '__proto__',
  ])('%j is refused', (header) => {
    expect(parseScenario(header)).toBeNull()
  })
})

describe('the table of scenarios', () => {
  test.each(scenarios)('has an example of $form', ({ form, example }) => {
    expect(parseScenario(example)).not.toBeNull()
    expect(example.split('=')[0]).toBe(form.split('=')[0])
  })

  test('names the statuses of a module that are passed on', () => {
    const row = scenarios.find(({ form }) => form.startsWith('status='))
    const [passedOn = ''] = row?.answer.split(' under that status') ?? []

    const named = passedOn.split(', ').flatMap((part) => {
      const code = part.split(' ').at(-1)
      return (part.match(/\d+/g) ?? []).map((status) => [status, code])
    })
    expect(Object.fromEntries(named)).toEqual(keptStatuses)
  })
  test('is what the contract says', () => {
    const contract = readFileSync(join(projectRoot, 'docs/contract.md'), 'utf8')
    const line = contract.split('\n').find((text) => text.startsWith('- The header `X-Sandbox-Sc'))

    const [, ...named] = [...(line ?? '').matchAll(/`([\w-]+)[^`]*`/g)].map(([, name]) => name)
    const kinds = scenarios.map(({ form }) => form.split('=')[0])
    expect(new Set(named)).toEqual(new Set(kinds))
  })
})
