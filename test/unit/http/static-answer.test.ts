import { describe, expect, test } from 'vitest'
import { staticBody } from '../../../rest-facade/http/static-answer.ts'

describe('a static body', () => {
  test('is made once for many requests at the same time', async () => {
    let made = 0
    const body = staticBody(() => {
      made += 1
      return 'text'
    })

    const bodies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => body.as(index % 2 === 0 ? 'identity' : 'gzip')),
    )

    expect(made).toBe(1)
    expect(new Set(bodies.map(({ etag }) => etag)).size).toBe(2)
  })

  test('is made at the next request if the first one failed', async () => {
    let isBroken = true
    const body = staticBody(() => {
      if (isBroken) throw new Error('too many open files')
      return 'text'
    })
    await expect(body.as('identity')).rejects.toThrow('too many open files')
    isBroken = false

    expect(String((await body.as('identity')).body)).toBe('text')
  })
})
