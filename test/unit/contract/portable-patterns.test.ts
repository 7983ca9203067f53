import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import {
  patternProblem,
  unportablePatterns,
} from '../../../tools/check/openapi/portable-patterns.ts'

describe('a pattern of the OpenAPI document', () => {
  test.each([
    '^req_[0-7][0-9a-hjkmnp-tv-z]{25}$',
    '^[!-~]{1,128}$',
    String.raw`^[^\x00]*$`,
    String.raw`^[A-Za-z0-9_\-]+$`,
    String.raw`^[^\/\\\x00-\x1f]+$`,
    String.raw`^[a-z_]+(?:\.[a-z_]+)+$`,
    '^(key|token)(,(key|token))*$',
    String.raw`\S`,
    '^[A-Z]{2,}x{0,1000}$',
  ])('may be %s', (pattern) => {
    expect(patternProblem(pattern)).toBeNull()
  })

  test.each([
    ['NUL as octal digits', String.raw`^[^\0]*$`],
    ['a class in a class', String.raw`^[!#-[\]-~]+$`],
    ['a dollar in a class', '^[!"$-~]*$'],
    ['a bare hyphen in a class', '^[A-Za-z0-9_-]+$'],
    ['a bare slash in a class', '^[^/]+$'],
    ['a look-ahead', '^(?=.{1,253}$)[a-z]+$'],
    ['a look-behind', '(?<=a)b'],
    ['a named group', '(?<name>a)'],
    ['a reference back', String.raw`(a)\1`],
    ['half a surrogate pair', String.raw`[\ud800-\udfff]`],
    ['a character by \\u', String.raw`[\u2028]`],
    ['a property of Unicode', String.raw`\p{L}`],
    ['digits of any script', String.raw`\d+`],
    ['words of any script', String.raw`\w+`],
    ['an edge of a word', String.raw`\bword`],
    ['any character but some', '^.+$'],
    ['two operators of sets', '[a~~b]'],
    ['characters beyond ASCII', '^ä$'],
    ['a count above 1000', 'a{1001}'],
    ['a counted group', '(?:a{100}){100}'],
    ['what repeats nothing', '*a'],
    ['a group without an end', '(a'],
    ['a possessive repetition', 'a++'],
  ])('has no %s', (_, pattern) => {
    expect(patternProblem(pattern)).not.toBeNull()
  })
})

describe('the check of patterns', () => {
  test('names each pattern that not every language compiles, or that repeats a format', () => {
    const openapi = JSON.stringify({
      paths: { '/a': { get: { parameters: [{ schema: { pattern: '^a$' } }] } } },
      components: {
        schemas: {
          A: {
            properties: {
              at: { type: 'string', format: 'date-time', pattern: '^a$' },
              text: { pattern: String.raw`\0`, examples: [{ pattern: String.raw`\0` }] },
            },
            patternProperties: { 'x/y': {}, '(?!a)': {} },
          },
        },
      },
    })

    expect(unportablePatterns(openapi).map(({ id, message }) => [id, message])).toEqual([
      [
        'openapi/pattern/#/components/schemas/A/properties/at',
        'the pattern ^a$ repeats the format date-time',
      ],
      [
        'openapi/pattern/#/components/schemas/A/properties/text',
        String.raw`the pattern \0 has what not every language compiles: \0`,
      ],
      [
        'openapi/pattern/#/components/schemas/A',
        'the pattern (?!a) has what not every language compiles: (?!a)',
      ],
    ])
  })

  test('finds nothing in schema/generated/openapi.json, which has more than ten patterns', () => {
    const openapi = readFileSync(join(projectRoot, 'schema/generated/openapi.json'), 'utf8')

    expect(new Set(openapi.match(/"pattern": ".*"/g)).size).toBeGreaterThan(10)
    expect(unportablePatterns(openapi)).toEqual([])
  })
})
