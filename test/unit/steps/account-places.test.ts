import { describe, expect, test } from 'vitest'
import { AccountPlaces } from '../../../rest-facade/steps/account-work/account-places.ts'

/** Places of one process whose four are taken. */
function takenPlaces(): AccountPlaces {
  const places = new AccountPlaces(1)
  for (let index = 0; index < 4; index += 1) places.begin('acc_1')
  return places
}

describe('the places of an account', () => {
  test('are four; another account has its own', () => {
    const places = takenPlaces()

    expect(places.begin('acc_1')).toBe(false)
    expect(places.begin('acc_2')).toBe(true)
  })

  test('go to those that wait, in their order, live before sandbox', () => {
    const places = takenPlaces()
    const begun: string[] = []
    places.wait('acc_1', 'sandbox', () => begun.push('sandbox'))
    places.wait('acc_1', 'live', () => begun.push('first'))
    places.wait('acc_1', 'live', () => begun.push('second'))

    for (let index = 0; index < 3; index += 1) places.end('acc_1')

    expect(begun).toEqual(['first', 'second', 'sandbox'])
    expect(places.begin('acc_1')).toBe(false)
  })

  test('are waited for by sixteen in each environment; who leaves makes room', () => {
    const places = takenPlaces()
    const leaves = Array.from({ length: 16 }, () => places.wait('acc_1', 'live', () => {}))

    expect(leaves).not.toContain(null)
    expect(places.wait('acc_1', 'live', () => {})).toBeNull()
    expect(places.wait('acc_1', 'sandbox', () => {})).not.toBeNull()
    leaves[7]?.()
    expect(places.wait('acc_1', 'live', () => {})).not.toBeNull()
  })

  test('are divided by the workers, at least one for each', () => {
    const taken = (workers: number) => {
      const places = new AccountPlaces(workers)
      return [1, 2, 3, 4].filter(() => places.begin('acc_1')).length
    }

    expect([1, 2, 3, 8].map(taken)).toEqual([4, 2, 1, 1])
  })

  test('five requests at once find a place or wait in whichever worker they meet, however many there are', () => {
    const refused = [1, 2, 4, 8, 64].map((workers) => {
      const places = new AccountPlaces(workers)
      const enters = () => places.begin('acc_1') || places.wait('acc_1', 'live', () => {}) !== null
      return [1, 2, 3, 4, 5].filter(() => !enters())
    })

    expect(refused).toEqual([[], [], [], [], []])
  })

  test('lines are divided by the workers, at least four for each', () => {
    const lengthOf = (workers: number) => {
      const places = new AccountPlaces(workers)
      while (places.begin('acc_1'));
      return Array.from({ length: 20 }, () => places.wait('acc_1', 'live', () => {})).filter(
        (leave) => leave !== null,
      ).length
    }

    expect([1, 2, 3, 4, 8, 64].map(lengthOf)).toEqual([16, 8, 5, 4, 4, 4])
  })

  test('are forgotten with the last request of the account', () => {
    const places = takenPlaces()

    for (let index = 0; index < 4; index += 1) places.end('acc_1')

    expect(places.accountCount).toBe(0)
  })
})
