import { describe, expect, test } from 'vitest'
import { isExternalId } from '../../../schema/vocabulary/external-id.ts'
import { leadingElsewhere } from '../../support/requests/leading-elsewhere.ts'

describe('an external id', () => {
  test.each(leadingElsewhere)('is not %j, which would lead elsewhere in a path', (id) => {
    expect(isExternalId(id)).toBe(false)
  })

  test.each([
    'team-7',
    'a/b',
    'a%2Fb',
    '...',
    '.a',
    'a.',
    '..a',
    'a/..b/c',
    '%2e.a',
    '%2',
    '/',
    '.a/b.',
  ])('may be %j', (id) => {
    expect(isExternalId(id)).toBe(true)
    const { pathname } = new URL(`http://gateway/x/${encodeURIComponent(id)}/budgets`)
    expect(pathname).toBe(`/x/${encodeURIComponent(id)}/budgets`)
  })

  test.each(['', ' ', 'a b', 'é', 'a\n', 'x'.repeat(129)])('is not %j', (id) => {
    expect(isExternalId(id)).toBe(false)
  })
})
