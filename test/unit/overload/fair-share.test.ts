import { describe, expect, test } from 'vitest'
import { createFairShare, shareOf } from '../../../gateway/overload/fair-share.ts'

describe('shareOf', () => {
  test.each([
    ['all have what they ask for', 10, [2, 3, 5], Number.POSITIVE_INFINITY],
    ['those who ask for the same have the same', 9, [5, 5, 5], 3],
    ['what the modest leave is divided among the others', 100, [10, 200, 0, 50, 1000], 30],
    ['nobody has anything of nothing', 0, [1, 2], 0],
    ['nobody asks', 0, [0, 0], Number.POSITIVE_INFINITY],
  ])('%s', (_rule, total, asked, share) => {
    expect(shareOf(total, asked)).toBe(share)
  })
})

describe('createFairShare', () => {
  /** Keys as clients send them: they begin alike. */
  const keyOf = (name: number) => `Bearer svc_live_${String(name).padStart(40, 'x')}`

  test('a credential has had its share when it got as much as an equal part of all that got in', () => {
    const share = createFairShare(1)
    for (const [credential, requests] of [
      ['noisy', 90],
      ['modest', 10],
    ] as const) {
      for (let request = 0; request < requests; request += 1) {
        const asker = share.ask(credential)
        if (request % 2 === 0) share.letIn(asker)
      }
    }
    // 50 of 100 got in: the modest one may have all of its 10, so the noisy one has had 45 of its 40.
    share.fade()

    expect(share.hasHad(share.ask('noisy'))).toBe(true)
    expect(share.hasHad(share.ask('modest'))).toBe(false)
  })

  test('no credential has had its share while all requests are admitted', () => {
    const share = createFairShare(1)
    for (let request = 0; request < 100; request += 1) share.letIn(share.ask('noisy'))
    share.fade()

    expect(share.hasHad(share.ask('noisy'))).toBe(false)
  })

  test('old requests no longer count', () => {
    const share = createFairShare(1)
    for (let request = 0; request < 100; request += 1) {
      const asker = share.ask('noisy')
      if (request < 10) share.letIn(asker)
    }
    share.fade()
    for (let request = 0; request < 2; request += 1) share.letIn(share.ask('noisy'))
    expect(share.hasHad(share.ask('noisy'))).toBe(true)

    for (let tenth = 0; tenth < 200; tenth += 1) share.fade()

    expect(share.hasHad(share.ask('noisy'))).toBe(false)
  })

  test('a credential is told apart from a noisy one, whatever the seed', () => {
    const modest = 200
    let mistaken = 0
    for (let seed = 0; seed < 50; seed += 1) {
      const share = createFairShare(seed * 0x9e37)
      const noisy = share.ask(keyOf(0))
      for (let request = 0; request < 1000; request += 1) share.letIn(share.ask(keyOf(0)))
      for (let name = 1; name <= modest; name += 1) share.ask(keyOf(name))
      for (let request = 0; request < 2000; request += 1) share.ask(keyOf(0))
      share.fade()
      expect(share.hasHad(noisy)).toBe(true)
      for (let name = 1; name <= modest; name += 1) {
        if (share.hasHad(share.ask(keyOf(name)))) mistaken += 1
      }
    }

    expect(mistaken).toBe(0)
  })
})
