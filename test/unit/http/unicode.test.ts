import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { percentProblems } from '../../../rest-facade/http/unicode/percent-encoding.ts'
import { utf8Problem } from '../../../rest-facade/http/unicode/utf8.ts'
import { wellFormedProblems } from '../../../rest-facade/http/unicode/well-formed.ts'
import { seed } from '../../support/extent/extent.ts'

describe('utf8Problem', () => {
  test.each([
    [[0x61, 0xff], 1],
    [[0x80], 0],
    [[0xc3, 0xa9, 0xc3], 2],
    [[0xc3, 0xa9, 0xc3, 0x28], 2],
    [[0xc0, 0xaf], 0],
    [[0x61, 0xed, 0xa0, 0x80], 1],
    [[0xf4, 0x90, 0x80, 0x80], 0],
    [[0xf0, 0x9f, 0x98], 0],
    // Begins like the character that takes the place of wrong bytes.
    [[0x61, 0xef, 0xbf, 0x22], 1],
    [[0xef, 0xbf, 0xbd, 0xef, 0xbf], 3],
  ])('of %j is at byte %d', (bytes, at) => {
    expect(utf8Problem(Buffer.from(bytes))).toBe(`byte ${at} is not UTF-8`)
  })

  test('is at the end of the longest beginning that is UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.uint8Array({ minLength: 1 }), (text, more) => {
        const bytes = Buffer.concat([Buffer.from(text.toWellFormed()), more])
        const lengths = Array.from({ length: bytes.length + 1 }, (_, length) => length)
        const at = lengths.findLast((length) => isUtf8(bytes.subarray(0, length)))
        const problem = at === bytes.length ? null : `byte ${at} is not UTF-8`
        expect(utf8Problem(bytes)).toBe(problem)
      }),
      { seed },
    )
  })
})

describe('percentProblems', () => {
  test.each([
    ['q=%ff', ['q']],
    ['a=1&q=x%C3&b=%c3%28', ['q', 'b']],
    ['q=%ED%A0%80', ['q']],
    ['q=%ed%a0%bd%ed%b8%80', ['q']],
    ['q=%c0%af&q=%ff', ['q']],
    ['na%6De=%f4%90%80%80', ['name']],
    ['%ff=1', ['\ufffd']],
    ['=%ff', ['query']],
    ['q=%c3+%a9', ['q']],
    ['q=%c3%A9%F0%9f%98%80&b=%zz%&c=%00%7f', []],
  ])('of %s names %j', (text, names) => {
    const message = 'is not percent-encoded UTF-8'
    const details = names.map((field) => ({ field, in: 'query', message }))
    expect(percentProblems(text, 'query')).toEqual(details)
  })

  test('finds none in what a client encodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const encoded = `q=${encodeURIComponent(text.toWellFormed())}`
        expect(percentProblems(encoded, 'query')).toEqual([])
      }),
      { seed },
    )
  })
})

describe('wellFormedProblems', () => {
  test.each([
    ['{"a":"\\ud800"}', ['a']],
    ['{"a":{"b":["x","\\uDFFF"]},"c":"\\udc00\\ud800"}', ['a.b.1', 'c']],
    ['{"\\ud83d":1,"\\ud83d\\ude00":2}', ['\ufffd']],
    ['"\\ud800"', ['body']],
    ['{"a":"\\ud83d\\ude00","b":"\\\\ud800","c":"\\u0000"}', []],
  ])('of %s names %j', (text, names) => {
    const message = 'must be well-formed Unicode'
    const details = names.map((field) => ({ field, in: 'body', message }))
    expect(wellFormedProblems(text, JSON.parse(text))).toEqual(details)
  })

  test('never writes a long name of the client in full', () => {
    // In memory a character of this name takes two bytes: written for each entry, it would take 20 GB.
    const name = `${'n'.repeat(900_000)}Ā`
    const half = '"\\ud800"'
    const texts = [
      `{"${name}":[${'1,'.repeat(9998)}${half}]}`,
      `{"${name}":[${`${half},`.repeat(9998)}${half}]}`,
    ]
    const field = 'n'.repeat(200)
    for (const text of texts) {
      expect(wellFormedProblems(text, JSON.parse(text))).toEqual([
        { field, in: 'body', message: 'must be well-formed Unicode' },
      ])
    }
  })

  test('names no more members than a refusal can', () => {
    const text = `{"a":[${'"\\ud800",'.repeat(9998)}1]}`
    expect(wellFormedProblems(text, JSON.parse(text))).toHaveLength(101)
  })
})
