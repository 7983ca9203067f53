import { describe, expect, test } from 'vitest'
import { findForms } from '../../support/requests/needles.ts'

describe('the search for a secret', () => {
  const secret = 'svc_live_0123456789abcdefghijklmnopqrstuvwxyzABC'

  test.each(['', 'a', 'ab', 'abc', '{"key":"', 'Bearer '])('finds one behind %j', (before) => {
    const bytes = Buffer.from(`${before}${secret}"}`)

    expect(findForms(`x ${before}${secret} y`, secret)).toEqual(['plain'])
    expect(findForms(`x ${bytes.toString('base64')} y`, secret)).toContain('base64')
    expect(findForms(`x ${bytes.toString('base64url')} y`, secret)).toContain('base64url')
    expect(findForms(`\\x${bytes.toString('hex')}`, secret)).toEqual(['hex'])
    expect(findForms(`\\x${bytes.toString('hex').toUpperCase()}`, secret)).toEqual(['hex'])
  })

  test('finds bytes that are not text', () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => 255 - index)

    expect(findForms(Buffer.from(bytes).toString('hex'), bytes)).toEqual(['hex'])
    expect(findForms(Buffer.from(bytes).toString('base64url'), bytes)).toContain('base64url')
  })

  test('does not find an absent one', () => {
    const other = `${secret.slice(0, -1)}D`

    const text = [other, Buffer.from(other).toString('base64'), Buffer.from(other).toString('hex')]
    expect(findForms(text.join(' '), secret)).toEqual([])
  })
})
