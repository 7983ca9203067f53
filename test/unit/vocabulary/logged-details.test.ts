import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  detailsText,
  loggedFields,
  maxDetailsBytes,
} from '../../../schema/vocabulary/logged-details.ts'

describe('what the usage log keeps of a failure', () => {
  test('is null where there is nothing to tell', () => {
    expect(detailsText(undefined)).toBeNull()
    expect(detailsText({})).toBeNull()
    expect(detailsText({ fields: [] })).toBeNull()
  })

  test('has all four members', () => {
    expect(JSON.parse(detailsText({ scope: 'seo:read' }) ?? '')).toEqual({
      ...{ layer: null, limit: null, scope: 'seo:read', fields: [] },
    })
    expect(JSON.parse(detailsText({ layer: 'key', limit: 0 }) ?? '')).toEqual({
      ...{ layer: 'key', limit: 0, scope: null, fields: [] },
    })
  })

  test('has at most 256 bytes, and is cut at whole fields from the end', () => {
    const field = fc.record({ name: fc.string({ maxLength: 90 }), rule: fc.string() })
    fc.assert(
      fc.property(fc.array(field, { minLength: 1, maxLength: 20 }), (fields) => {
        const text = detailsText({ fields }) ?? ''
        const kept = JSON.parse(text).fields
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxDetailsBytes)
        expect(kept).toEqual(fields.slice(0, kept.length))
        const more = {
          layer: null,
          limit: null,
          scope: null,
          fields: fields.slice(0, kept.length + 1),
        }
        const isAll = kept.length === fields.length || kept.length === 8
        if (!isAll) expect(Buffer.byteLength(JSON.stringify(more))).toBeGreaterThan(maxDetailsBytes)
      }),
    )
  })

  test('has no name of a request that the schema lacks, and no message', () => {
    const problem = { in: 'body', message: 'must not be secret' } as const
    expect(
      loggedFields([
        { ...problem, field: 'secret' },
        { ...problem, field: 'a.0.b', known: 'a.b', rule: 'type' },
        { ...problem, field: 'body', rule: 'required' },
        { ...problem, field: 'body', in: 'header' },
      ]),
    ).toEqual([
      { name: '?', rule: 'custom' },
      { name: 'a.b', rule: 'type' },
      { name: 'body', rule: 'required' },
      { name: '?', rule: 'custom' },
    ])
  })
})
