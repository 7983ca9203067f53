import { describe, expect, test } from 'vitest'
import { createAccountWork } from '../../../rest-facade/steps/account-work/account-work.ts'
import { createTimeDebts } from '../../../rest-facade/steps/account-work/time-debts.ts'

function debtsAt(start: number) {
  const clock = { nowMs: start }
  return { clock, debts: createTimeDebts(500, () => clock.nowMs) }
}

describe('the time of an account', () => {
  test('is saved up to four seconds, and grows by half a second in a second', () => {
    const { clock, debts } = debtsAt(1_000_000)

    debts.add('acc_1', 4000)
    const before = debts.waitOf('acc_1', 'live')
    debts.add('acc_1', 750)
    const after = debts.waitOf('acc_1', 'live')
    clock.nowMs += 1500

    expect([before, after]).toEqual([0, 2])
    expect(debts.waitOf('acc_1', 'live')).toBe(0)
    expect(debts.waitOf('acc_2', 'live')).toBe(0)
  })

  test('is not saved beyond that by an idle account', () => {
    const { clock, debts } = debtsAt(0)
    debts.add('acc_1', 1)
    clock.nowMs += 3_600_000

    debts.add('acc_1', 4500)

    expect(debts.waitOf('acc_1', 'live')).toBe(1)
  })

  test('is refused to the sandbox while less than two seconds are left for live', () => {
    const { debts } = debtsAt(0)

    debts.add('acc_1', 2100)

    expect(debts.waitOf('acc_1', 'live')).toBe(0)
    expect(debts.waitOf('acc_1', 'sandbox')).toBe(1)
  })

  test('has no limit where it is 0', () => {
    const debts = createTimeDebts(0)

    debts.add('acc_1', 1_000_000)

    expect(debts.waitOf('acc_1', 'live')).toBe(0)
  })

  test('counts what other workers have spent', () => {
    const told: [string, number][] = []
    let note = (_accountId: string, _ms: number) => {}
    const work = createAccountWork({
      msPerSecond: 500,
      workers: 2,
      spending: {
        tell: (accountId, ms) => told.push([accountId, ms]),
        watch(watcher) {
          note = watcher
        },
      },
    })

    work.spend('acc_1', 3000)
    note('acc_1', 3000)

    expect(told).toEqual([['acc_1', 3000]])
    expect(work.waitOf('acc_1', 'live')).toBeGreaterThan(0)
  })
})
