import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import { boundedRecord } from '../../../rest-facade/http/fields/record.ts'
import { parseInput } from '../../../rest-facade/http/input.ts'
import { knownName } from '../../../rest-facade/http/known-name.ts'

const address = z.strictObject({ city: z.string().max(3), lines: z.array(z.string()).max(1) })
const body = z.strictObject({
  name: z.string().min(2).optional(),
  addresses: z.array(z.nullable(address)).default([]),
  kind: z.enum(['a', 'b']).optional(),
  code: z.string().regex(/^\d+$/).transform(Number).optional(),
  count: z.int().max(5).optional(),
  metadata: boundedRecord(z.string(), {
    ...{ message: 'must be an object', maxMembers: 2, maxNameLength: 9 },
  }).optional(),
})

describe('the name of a place in a schema', () => {
  test.each([
    [['name'], 'name'],
    [['addresses', '3', 'city'], 'addresses.city'],
    [['addresses', '0', 'lines', 7], 'addresses.lines'],
    [['addresses', 'city'], undefined],
    [['metadata'], 'metadata'],
    [['metadata', 'name'], undefined],
    [['name', 'name'], undefined],
    [['other'], undefined],
    [['toString'], undefined],
  ])('%j is %s', (path, name) => {
    expect(knownName(body, path)).toBe(name)
  })
})

/** What the log keeps of the refusal of this body. */
function keptOf(sent: unknown) {
  try {
    parseInput({ body }, { params: {}, query: {}, body: sent })
    return null
  } catch (error) {
    return error instanceof ApiError ? error.logged?.fields : error
  }
}

test.each([
  [{ name: 'x' }, 'name', 'minLength'],
  [{ name: 5 }, 'name', 'type'],
  [{ kind: 'c' }, 'kind', 'enum'],
  [{ code: 'x' }, 'code', 'pattern'],
  [{ count: 6 }, 'count', 'maximum'],
  [{ count: 1.5 }, 'count', 'type'],
  [{ addresses: [{ city: 'long', lines: [] }] }, 'addresses.city', 'maxLength'],
  [{ addresses: [{ city: 'a', lines: ['', ''] }] }, 'addresses.lines', 'maxItems'],
  [{ addresses: [{ lines: [] }] }, 'addresses.city', 'required'],
  [{ mine: 1 }, '?', 'additionalProperties'],
  [{ metadata: { mine: 1 } }, '?', 'custom'],
  [{ metadata: 1 }, 'metadata', 'custom'],
])('a refusal of %j keeps %s and %s', (sent, name, rule) => {
  expect(keptOf(sent)).toEqual([{ name, rule }])
})
