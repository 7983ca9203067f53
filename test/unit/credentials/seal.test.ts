import { createCipheriv } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deriveAnswerKey, open, seal } from '../../../schema/credentials/secrets.ts'

const key = deriveAnswerKey(new Uint8Array(32), 'acct_1\nlive\none')
const text = '{"name":"Žofie 🙂"}'

describe('a sealed text', () => {
  test('opens with its key and context only, and not when a byte was changed', () => {
    const sealed = seal(key, text, 'acct_1')
    const bytes = Buffer.from(sealed, 'base64url')
    const changed = [...bytes.keys()].map((index) => {
      const copy = Buffer.from(bytes)
      copy.writeUInt8(bytes.readUInt8(index) ^ 1, index)
      return copy.toString('base64url')
    })

    expect(open(key, sealed, 'acct_1')).toBe(text)
    expect(open(key, sealed, 'acct_2')).toBeNull()
    expect(open(new Uint8Array(32), sealed, 'acct_1')).toBeNull()
    expect(new Set(changed.map((one) => open(key, one, 'acct_1')))).toEqual(new Set([null]))
  })

  test('is AES-256-GCM: IV, text, tag', () => {
    const iv = Buffer.alloc(12, 7)
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from('acct_1'))
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    const sealed = Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url')

    expect(open(key, sealed, 'acct_1')).toBe(text)
  })

  test('never has the IV of another one', () => {
    const count = 2000
    const ivs = Array.from({ length: count }, () =>
      Buffer.from(seal(key, text, 'acct_1'), 'base64url')
        .subarray(0, 12)
        .toString('hex'),
    )

    expect(new Set(ivs).size).toBe(count)
  })
})
