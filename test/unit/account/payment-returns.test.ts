import { describe, expect, test } from 'vitest'
import { newId } from '../../../schema/vocabulary/ids.ts'
import {
  notificationsOf,
  offeredActions,
  readSimulatedReturn,
} from '../../../subgraphs/account/payments/providers/returns/simulated-returns.ts'
import { owedCredits } from '../../../subgraphs/account/payments/returns/owed-credits.ts'
import { tierAfterReturn } from '../../../subgraphs/account/payments/returns/returned-tier.ts'
import { Tier } from '../../../subgraphs/account/prices/tiers.ts'

describe('the credits of returned cents', () => {
  test.each([
    [{ credits: 5000, totalCents: 4500 }, 0, 0],
    [{ credits: 5000, totalCents: 4500 }, 1, 1],
    [{ credits: 5000, totalCents: 4500 }, 4499, 4998],
    [{ credits: 5000, totalCents: 4500 }, 4500, 5000],
    [{ credits: 5000, totalCents: 4500 }, 9000, 5000],
    [{ credits: Number.MAX_SAFE_INTEGER, totalCents: 3 }, 2, 6_004_799_503_160_660],
  ])('%j, %i cents: %i', (purchase, cents, credits) => {
    expect(owedCredits(purchase, cents)).toBe(credits)
  })
})

describe('the tier after a purchase was returned', () => {
  const { STARTER, GROWTH, BUSINESS, SCALE } = Tier
  const bought = (tier: Tier, tierBefore: Tier, isReturned = false) => ({
    tier,
    tierBefore,
    isReturned,
  })

  test.each([
    ['the one before', GROWTH, bought(GROWTH, STARTER, true), [], STARTER],
    ['unchanged if it gave none', SCALE, bought(GROWTH, SCALE, true), [], SCALE],
    [
      'unchanged while another purchase gives it',
      GROWTH,
      bought(GROWTH, STARTER, true),
      [bought(GROWTH, GROWTH)],
      GROWTH,
    ],
    [
      'that of the best purchase left',
      BUSINESS,
      bought(BUSINESS, STARTER, true),
      [bought(GROWTH, STARTER)],
      GROWTH,
    ],
    [
      'the first one if those between were returned too',
      BUSINESS,
      bought(BUSINESS, GROWTH, true),
      [bought(GROWTH, STARTER, true)],
      STARTER,
    ],
  ])('is %s', (_, current, returned, others, after) => {
    expect(tierAfterReturn(current, returned, [returned, ...others])).toBe(after)
  })
})

describe('the simulated provider', () => {
  const payment = { paymentId: newId('pay'), totalCents: 1000, leftCents: 999 }

  test.each([
    ['refund', ['999 succeeded']],
    ['refund_part', ['500 succeeded']],
    ['dispute', ['1000 open', '1000 funds_withdrawn']],
    ['win', ['1000 funds_reinstated', '1000 won']],
    ['lose', ['1000 lost']],
  ] as const)('writes %s in a form that it reads again', (action, told) => {
    const read = notificationsOf(action, payment, 'one').map(readSimulatedReturn)

    expect(
      read.map((notification) => {
        if (notification?.kind === 'dispute') {
          return `${notification.dispute.amountCents} ${notification.dispute.status}`
        }
        return `${notification?.refund?.amountCents} ${notification?.refund?.status}`
      }),
    ).toEqual(told)
  })

  test('refunds nothing when no cents are left', () => {
    const empty = { ...payment, leftCents: 0 }

    expect(notificationsOf('refund', empty, 'one')).toEqual([])
    expect(notificationsOf('refund_part', empty, 'one')).toEqual([])
  })

  test.each([
    [{ leftCents: 10, dispute: 'none' }, ['refund', 'refund_part', 'dispute']],
    [{ leftCents: 0, dispute: 'none' }, ['dispute']],
    [{ leftCents: 10, dispute: 'open' }, ['win', 'lose']],
    [{ leftCents: 10, dispute: 'closed' }, []],
  ] as const)('offers for %j the choices %j', (returnable, choices) => {
    expect(offeredActions(returnable)).toEqual(choices)
  })
})
