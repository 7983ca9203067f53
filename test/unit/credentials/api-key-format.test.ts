import { describe, expect, test } from 'vitest'
import { apiKeyPrefix, isApiKey, newApiKey } from '../../../schema/credentials/api-key-format.ts'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

describe('an API key', () => {
  test.each([
    { keyPrefix: 'svc', environment: 'live', prefix: 'svc_live_' },
    { keyPrefix: 'svc', environment: 'sandbox', prefix: 'svc_test_' },
    { keyPrefix: 'acme', environment: 'live', prefix: 'acme_live_' },
  ] as const)('of $environment begins with $prefix', ({ keyPrefix, environment, prefix }) => {
    const key = newApiKey(keyPrefix, environment)

    expect(apiKeyPrefix(keyPrefix, environment)).toBe(prefix)
    expect(key).toEqual({
      plaintext: expect.stringMatching(new RegExp(`^${prefix}[0-9A-Za-z]{39}$`)),
      prefix,
      last4: key.plaintext.slice(-4),
    })
    expect(isApiKey(key.plaintext, prefix)).toBe(true)
  })

  test('never repeats, and uses every character of its alphabet', () => {
    const keys = Array.from({ length: 1000 }, () => newApiKey('svc', 'live').plaintext)

    expect(new Set(keys).size).toBe(keys.length)
    const random = keys.map((key) => key.slice('svc_live_'.length, -6)).join('')
    expect(new Set(random).size).toBe(62)
  })

  test('differs from 1000 keys with one character changed', () => {
    for (let count = 0; count < 1000; count += 1) {
      const { plaintext, prefix } = newApiKey('svc', 'live')
      const index = Math.floor(Math.random() * plaintext.length)
      const others = Array.from(base62).filter((character) => character !== plaintext[index])
      const other = others[Math.floor(Math.random() * others.length)] ?? ''
      const changed = plaintext.slice(0, index) + other + plaintext.slice(index + 1)

      expect(isApiKey(changed, prefix)).toBe(false)
    }
  })

  test('is not accepted when it is too short, too long, or of another kind', () => {
    const { plaintext, prefix } = newApiKey('svc', 'live')
    const sandbox = newApiKey('svc', 'sandbox').plaintext

    for (const text of [
      '',
      prefix,
      plaintext.slice(0, -1),
      `${plaintext}0`,
      `${plaintext}\n`,
      ` ${plaintext}`,
      plaintext.toLowerCase(),
      plaintext.replace('svc_live_', 'svc_test_'),
      sandbox,
      `${prefix}${'0'.repeat(39)}`,
    ]) {
      expect(isApiKey(text, prefix)).toBe(false)
    }
  })
})
