import { describe, expect, test } from 'vitest'
import { whenNeeded } from '../../../rest-facade/pages/when-needed.ts'

describe('when needed', () => {
  test('opens nothing before its first use, and once for many uses at the same time', async () => {
    let opened = 0
    const needed = whenNeeded(async () => {
      opened += 1
      return opened
    })
    expect(await needed.opened()).toBeUndefined()
    expect(opened).toBe(0)

    expect(await Promise.all([needed.get(), needed.get()])).toEqual([1, 1])
    expect(await needed.get()).toBe(1)
    expect(await needed.opened()).toBe(1)
  })

  test('fails for all that wait for it, and opens again at the next use', async () => {
    let isBroken = true
    const needed = whenNeeded(async () => {
      if (isBroken) throw new Error('too many open files')
      return 'opened'
    })
    const failed = await Promise.allSettled([needed.get(), needed.get()])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isBroken = false

    expect(await needed.get()).toBe('opened')
  })
})
