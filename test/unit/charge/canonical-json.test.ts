import { expect, test } from 'vitest'
import { canonicalJson } from '../../../rest-facade/charge/canonical-json.ts'

/** The text as `JSON.stringify` writes it. It must stay: kept keys are compared with its hash for a day. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

const bodies = [
  'null',
  '[]',
  '{}',
  '"a \\"quoted\\" \\u2028 text \\ud800"',
  '-0',
  '1e21',
  '1e400',
  '{"b":1,"a":{"d":[{"z":0,"y":null}],"c":true}}',
  '{"b":0,"10":1,"9":2,"09":3,"-1":4,"1.5":5,"4294967294":6,"4294967295":7,"99999999999":8,"0":9}',
  '{"__proto__":{"b":1,"a":2},"constructor":1,"toString":"x"}',
  '{"é":1,"e":2,"E":3,"🙂":4,"\\uffff":5,"":6}',
  '{"a":[3,1,2],"A":[[],[{}]]}',
]

test.each(bodies)('%s is written as JSON.stringify writes it, with sorted members', (body) => {
  const value: unknown = JSON.parse(body)

  expect(canonicalJson(value)).toBe(sortedJson(value))
})

test('the order in which members are sent makes no difference', () => {
  const sent = ['{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}']

  const [first, second] = sent.map((body) => canonicalJson(JSON.parse(body)))

  expect(first).toBe(second)
})
