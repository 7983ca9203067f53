import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../../schema/catalog/scenario.ts'

describe('X-Sandbox-Scenario', () => {
  test.each([
    ['ok', { kind: 'ok' }],
    ['empty', { kind: 'empty' }],
    ['reset', { kind: 'reset' }],
    ['insufficient_credits', { kind: 'insufficient_credits' }],
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
    'toString',
    '__proto__',
  ])('%j is refused', (header) => {
    expect(parseScenario(header)).toBeNull()
  })
})
