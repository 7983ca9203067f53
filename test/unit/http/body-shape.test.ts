import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textProblem } from '../../../rest-facade/http/body-shape.ts'
import { seed } from '../../support/extent/extent.ts'

/** Texts that end where a hasty reader does not look: with quotes and backslashes, short and long. */
const misleading = fc
  .array(
    fc.oneof(
      fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', 'a') }),
      fc
        .tuple(fc.constantFrom('\\', '"', 'a', 'é', '中', '['), fc.nat(80))
        .map(([unit, count]) => unit.repeat(count)),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

describe('textProblem', () => {
  const tooDeep = `${'['.repeat(70)}1${']'.repeat(70)}`

  test('counts no bracket and no comma that is inside a string', () => {
    fc.assert(
      fc.property(misleading, misleading, (name, text) => {
        const json = JSON.stringify({ [name]: text, list: [text, name, text.repeat(200)] })
        expect(textProblem(json)).toBeNull()
      }),
      { seed, numRuns: 500 },
    )
  })

  test('finds what is too deep after any string', () => {
    fc.assert(
      fc.property(misleading, (text) => {
        const json = `{"text":${JSON.stringify(text)},"list":${tooDeep}}`
        expect(textProblem(json)).toEqual({
          ...{ field: 'body', in: 'body' },
          message: 'has too many or too deep members',
        })
      }),
      { seed, numRuns: 500 },
    )
  })

  test.each(['{"a":"', '{"a":"\\"', `{"a":"${'\\'.repeat(99)}"`, `{"a":"${'b'.repeat(99)}`])(
    'leaves %s, whose string has no end, to the parser',
    (text) => expect(textProblem(text)).toBeNull(),
  )
})
