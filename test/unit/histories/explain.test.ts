import { describe, expect, test } from 'vitest'
import { findUnexplained } from '../../../proof/histories/model/explain.ts'
import type { History, ShownEntry } from '../../../proof/histories/model/history.ts'
import type { ViolationKind } from '../../../proof/histories/model/violation.ts'
import { accountId, openBook, type Scribe } from './made-up-history.ts'

/** A key with its answer, a replay, a failure, a lost answer, a grant that ends, a refund, and reads. */
function writeGoodHistory(book: Scribe): void {
  book.read('before', 50, 100)
  book.call('plain', 100)
  book.call('keyed', 200, { call: { key: 'k' } })
  book.replay('again', 300, 'keyed')
  const refused = { status: 404, code: 'NOT_FOUND', charged: 0 }
  book.call('refused', 400, { answer: refused, backend: { status: 404 }, entered: 0 })
  book.call('unheard', 500, { answer: null })
  book.read('after', 600, 85)
  book.post('granted', 700, { expiresAtMs: 900 })
  book.call('burning', 800)
  book.enter({ kind: 'expiry', credits: -15, description: 'Expired credits', createdAtMs: 950 })
  book.post('given back', 1000, { kind: 'refund', credits: 5, requestId: 'req_plain' })
  const dear = { maximum: 500, isFlat: false }
  book.call('dear', 1100, { call: dear, answer: poor, backend: null, entered: 0 })
  book.read('last', 1200, 90)
}

function kindsOf(history: History): readonly ViolationKind[] {
  return findUnexplained(history).map(({ kind }) => kind)
}

/** The good history with more, or with something changed at the end. */
function spoil(more: (book: Scribe) => void, change?: (history: History) => History): History {
  const book = openBook()
  writeGoodHistory(book)
  more(book)
  return book.finish(change)
}

const nothing = () => {}

/** The account's first API key is replaced while everything else is over. */
function rotate(history: History): History {
  return { ...history, rotations: [{ accountId, ended: 0, startMs: 2000, endMs: 2100 }] }
}

const invalidKey = { status: 401, code: 'INVALID_API_KEY', charged: null, remaining: null }

/** A read of all entries at the end, as `change` shows them. */
function readLedger(change: (page: readonly ShownEntry[]) => readonly ShownEntry[]) {
  return (history: History): History => {
    const entries = change(history.books.entries.toReversed())
    const moment = { id: 'page', accountId, gateway: 'gateway 1', credential: null }
    const read = { ...moment, startMs: 1990, endMs: 2000 }
    return {
      ...history,
      reads: [...history.reads, { ...read, shown: { kind: 'ledger', entries } }],
    }
  }
}

/** The account has a budget, of which so much is shown at the end. */
function withBudget(budget: number, used: number, held = 0) {
  return (history: History): History => ({
    ...history,
    accounts: history.accounts.map((account) => ({ ...account, budget })),
    books: { ...history.books, budgets: [{ accountId, used, held }] },
  })
}

const poor = { status: 402, code: 'INSUFFICIENT_CREDITS', charged: 0, remaining: 90 }
const conflict = { status: 409, code: 'IDEMPOTENCY_CONFLICT', charged: 0 }

const overBudget = { status: 402, code: 'BUDGET_EXCEEDED', charged: 0, budgetRemaining: 0 }

const payment = {
  accountId,
  kind: 'checkout',
  status: 'paid',
  credits: 50,
  cents: 500,
} as const

/** A package of 50 credits is bought and paid with 500 cents. */
function buy(book: Scribe): void {
  const bought = { kind: 'purchase', credits: 50, ref: 'pay_1', description: 'Package' }
  book.enter({ ...bought, createdAtMs: 2005 })
}

/** The payment of that, `change` of it; so many cents of it came back. */
function paid(change: Partial<History['books']['payments'][number]> = {}, cents = 0) {
  return (history: History): History => {
    const purchase = { id: 'buy', accountId, credits: 50, cents: 500, paymentId: 'pay_1' }
    const moment = { startMs: 2000, endMs: 2010 }
    const back = { accountId, paymentId: 'pay_1', cents, startMs: 2100, endMs: 2110 }
    const clawbacks = [{ ref: 'sim_re_1', paymentId: 'pay_1' }]
    return {
      ...history,
      purchases: [{ ...purchase, isPaid: true, ...moment }],
      moneyBack: cents > 0 ? [back] : [],
      books: { ...history.books, payments: [{ id: 'pay_1', ...payment, ...change }], clawbacks },
    }
  }
}

function clawBack(book: Scribe, credits: number): void {
  const description = 'Refund of the payment'
  book.enter({ kind: 'clawback', credits, ref: 'sim_re_1', description, createdAtMs: 2105 })
}

/** The allowance of a period that ends at 2500, of a payment of 30 credits. */
function allowance(history: History): History {
  const { entries } = history.books
  const one = entries.find(({ kind }) => kind === 'allowance')
  const allowances = [{ accountId, seq: one?.seq ?? 0, paymentId: 'pay_2', expiresAtMs: 2500 }]
  const renewal = { ...payment, id: 'pay_2', kind: 'subscription', credits: 30 }
  return { ...history, books: { ...history.books, payments: [renewal], allowances } }
}

function renew(book: Scribe): void {
  const granted = { kind: 'allowance', credits: 30, ref: 'allowance:2026', description: 'Pro' }
  book.enter({ ...granted, createdAtMs: 2000 })
}

function withBooks(change: (books: History['books']) => Partial<History['books']>) {
  return (history: History): History => ({
    ...history,
    books: { ...history.books, ...change(history.books) },
  })
}

describe('the model of a history', () => {
  test('explains a good one', () => {
    expect(findUnexplained(spoil(nothing))).toEqual([])
  })

  test('explains a page of the ledger', () => {
    expect(
      findUnexplained(
        spoil(
          nothing,
          readLedger((page) => page),
        ),
      ),
    ).toEqual([])
  })

  test('explains answers to an API key that ends, and refusals afterwards', () => {
    const history = spoil((book) => {
      book.call('kept for a moment', 2500, { call: { credential: 0 } })
      const refused = { call: { credential: 0 }, answer: invalidKey, backend: null, entered: 0 }
      book.call('refused', 2600, refused)
      book.call('new', 9000, { call: { credential: 1 } })
    }, rotate)

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains one charge for an attempt without an answer, and none', () => {
    const history = spoil((book) => {
      book.call('charged', 2000, { answer: null })
      book.call('free', 2100, { answer: null, entered: 0 })
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains a charge whose hold was lost in a crash of the database', () => {
    const crash = { what: 'postgres', startMs: 2001, endMs: 2002 }
    const history = spoil(
      (book) => book.call('late', 2000, { call: { endMs: 5000 } }),
      (before) => ({ ...before, outages: [crash] }),
    )

    expect(findUnexplained(history)).toEqual([])
  })

  const timedOut = { status: 504, code: 'BACKEND_TIMEOUT', charged: 0 }

  test('explains a call whose time was over before the backend had its request', () => {
    const unasked = { backend: null, entered: 0, answer: timedOut }
    const history = spoil((book) => book.call('slow', 2000, { ...unasked, call: { endMs: 3000 } }))

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains credits that a call holds after its answer, because its hold had run out', () => {
    const history = spoil((book) => {
      // The unheard call may hold 5 too.
      const answer = { ...timedOut, remaining: 80 }
      book.call('run out', 2000, { call: { endMs: 4000 }, answer, entered: 0 })
      book.read('not swept yet', 4100, 90, { held: 10 })
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains a debt that was asked for, and that credits pay first', () => {
    const history = spoil((book) => {
      book.post('forced', 2000, { kind: 'adjustment', credits: -95, allowNegative: true })
      book.read('owed', 2050, -5)
      book.post('paid', 2200, { expiresAtMs: 2300 })
      book.enter({ kind: 'expiry', credits: -15, createdAtMs: 2350 })
      book.read('even', 2400, 0)
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains an expiry of credits that a refund returned to their grant', () => {
    const history = spoil((book) => {
      book.post('short', 2000, { expiresAtMs: 2500 })
      book.call('burning it', 2100)
      book.post('back', 2200, { kind: 'refund', credits: 5, requestId: 'req_burning it' })
      book.enter({ kind: 'expiry', credits: -20, createdAtMs: 2550 })
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains credits that have expired before the entries of their parts, one of which was held', () => {
    const history = spoil((book) => {
      book.post('short', 2000, { expiresAtMs: 2500 })
      book.read('over', 2510, 110, { expired: 20 })
      book.enter({ kind: 'expiry', credits: -13, createdAtMs: 2550 })
      book.enter({ kind: 'expiry', credits: -7, createdAtMs: 2600 })
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains credits that have expired and are not available, before they have an entry', () => {
    const history = spoil((book) => {
      book.post('short', 2000, { expiresAtMs: 2500 })
      book.read('over', 2510, 110, { expired: 20 })
      book.call('held before', 2490, { call: { endMs: 2530 }, answer: { remaining: 90 } })
      book.enter({ kind: 'expiry', credits: -15, createdAtMs: 2550 })
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains a read that sees a charge under way, and one that does not', () => {
    const history = spoil((book) => {
      book.call('slow', 2000, { call: { endMs: 2400 } })
      book.read('without it', 2001, 90, { held: 5 })
      book.read('with it', 2100, 85)
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains a refusal for too few credits while others hold them', () => {
    const poor = { status: 402, code: 'INSUFFICIENT_CREDITS', charged: 0, remaining: 2 }
    const history = spoil((book) => {
      const holding = { maximum: 88, isFlat: false, endMs: 2400 }
      book.call('holding', 2000, { call: holding, backend: { used: 5, atMs: 2300 } })
      const refused = { answer: poor, backend: null, entered: 0 }
      book.call('poor', 2050, refused)
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains 409 while another attempt runs, and 422 for another request', () => {
    const conflict = { code: 'IDEMPOTENCY_CONFLICT', charged: 0 }
    const history = spoil((book) => {
      book.call('first', 2000, { call: { key: 'c', endMs: 2100 } })
      const call = { key: 'c', request: 'first' }
      const none = { backend: null, entered: 0 } as const
      book.call('twin', 2020, { ...none, call, answer: { ...conflict, status: 409 } })
      const other = { status: 422, code: 'INVALID_REQUEST', charged: 0 }
      book.call('other', 2200, { ...none, call: { key: 'c' }, answer: other })
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains 422 after the answer to another request, whose hold had run out', () => {
    const none = { backend: null, entered: 0 } as const
    const history = spoil((book) => {
      const late = { status: 504, code: 'BACKEND_TIMEOUT', charged: 0 }
      book.call('late', 2000, { ...none, call: { key: 'c', endMs: 4100 }, answer: late })
      const other = { status: 422, code: 'INVALID_REQUEST', charged: 0 }
      book.call('other', 4200, { ...none, call: { key: 'c' }, answer: other })
    })

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains a budget that is used up, and a refund that gives some of it back', () => {
    const history = spoil(
      (book) => {
        const left = { remaining: 80, budgetRemaining: 0 }
        book.call('last of it', 2000, { answer: { ...left, remaining: 85 } })
        book.call('over it', 2100, { answer: { ...overBudget, remaining: 85 }, ...none })
        book.post('back', 2200, { kind: 'refund', credits: 5, requestId: 'req_last of it' })
        book.call('again', 2300, { answer: left, call: {} })
      },
      withBudget(20, 20),
    )

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains a purchase, a part of whose money comes back', () => {
    const history = spoil(
      (book) => {
        buy(book)
        book.read('bought', 2050, 140)
        clawBack(book, -12)
        book.read('taken', 2200, 128)
      },
      paid({}, 125),
    )

    expect(findUnexplained(history)).toEqual([])
  })

  test('explains an allowance whose rest expires with its period', () => {
    const history = spoil((book) => {
      renew(book)
      book.call('of it', 2100)
      book.enter({ kind: 'expiry', credits: -25, description: 'Expired', createdAtMs: 2600 })
    }, allowance)

    expect(findUnexplained(history)).toEqual([])
  })

  interface Case {
    readonly what: string
    readonly kind: ViolationKind
    /** Violations that follow from it. */
    readonly also?: readonly ViolationKind[]
    readonly history: () => History
  }

  const keyed = { key: 'k', request: 'keyed' }
  const failed = { status: 502, code: 'BACKEND_ERROR', charged: 0 }
  const none = { backend: null, entered: 0 } as const

  const cases: readonly Case[] = [
    {
      what: 'a charge beyond the budget',
      kind: 'over budget',
      history: () => spoil((book) => book.call('too much', 2000), withBudget(18, 20)),
    },
    {
      what: 'a refusal for a budget that covers the call',
      kind: 'refused within budget',
      history: () =>
        spoil(
          (book) => {
            book.call('refused', 2000, { answer: { ...overBudget, budgetRemaining: 10 }, ...none })
          },
          withBudget(25, 15),
        ),
    },
    {
      what: 'an answer with another rest of the budget',
      kind: 'stale read',
      history: () =>
        spoil(
          (book) => {
            book.call('shown', 2000, { answer: { budgetRemaining: 7 } })
          },
          withBudget(100, 20),
        ),
    },
    {
      what: 'a budget that shows another use than was charged',
      kind: 'books differ',
      history: () => spoil(nothing, withBudget(100, 20)),
    },
    {
      what: 'a paid purchase that brought no credits',
      kind: 'lost purchase',
      history: () => spoil(nothing, paid()),
    },
    {
      what: 'a purchase that was answered as paid and is not',
      kind: 'lost purchase',
      history: () => spoil(nothing, paid({ status: 'failed' })),
    },
    {
      what: 'a second payment for one purchase',
      kind: 'lost purchase',
      history: () =>
        spoil(buy, (history) => {
          const once = paid()(history)
          const { payments } = once.books
          const again = { ...payment, id: 'pay_again', status: 'failed' }
          return { ...once, books: { ...once.books, payments: [...payments, again] } }
        }),
    },
    {
      what: 'credits of a purchase that failed',
      kind: 'credits without a payment',
      also: ['lost purchase'],
      history: () => spoil(buy, paid({ status: 'failed' })),
    },
    {
      what: 'the credits of one payment twice',
      kind: 'credits without a payment',
      history: () =>
        spoil((book) => {
          buy(book)
          buy(book)
        }, paid()),
    },
    {
      what: 'an allowance that no payment brought',
      kind: 'credits without a payment',
      history: () => spoil(renew),
    },
    {
      what: 'an allowance that stays after its period',
      kind: 'wrong expiry',
      history: () => spoil(renew, allowance),
    },
    {
      what: 'money that came back while its credits stayed',
      kind: 'wrong clawback',
      history: () => spoil(buy, paid({}, 500)),
    },
    {
      what: 'more credits taken back than their share of the money',
      kind: 'wrong clawback',
      history: () =>
        spoil(
          (book) => {
            buy(book)
            clawBack(book, -13)
          },
          paid({}, 125),
        ),
    },
    {
      what: 'credits that are not available before they expire',
      kind: 'stale read',
      history: () =>
        spoil((book) => {
          book.post('short', 2000, { expiresAtMs: 2500 })
          book.read('early', 2100, 110, { expired: 20 })
          book.enter({ kind: 'expiry', credits: -20, createdAtMs: 2550 })
        }),
    },
    {
      what: 'more credits that are not available than have expired',
      kind: 'stale read',
      history: () =>
        spoil((book) => {
          book.post('short', 2000, { expiresAtMs: 2500 })
          book.read('too little', 2510, 110, { expired: 21 })
          book.enter({ kind: 'expiry', credits: -20, createdAtMs: 2550 })
        }),
    },
    {
      what: 'a read that does not see what was paid before',
      kind: 'stale read',
      history: () =>
        spoil((book) => {
          buy(book)
          book.read('behind', 2100, 90)
        }, paid()),
    },
    {
      what: 'a success without its charge',
      kind: 'lost charge',
      history: () => spoil((book) => book.call('free', 2000, { entered: 0 })),
    },
    {
      what: 'two charges for one request',
      kind: 'doubled charge',
      also: ['stale read', 'log differs'],
      history: () =>
        spoil((book) => {
          book.call('once', 2000)
          const charge = { kind: 'charge', credits: -5, ref: 'req_once', description: '/reveal' }
          book.enter({ ...charge, createdAtMs: 2008 })
        }),
    },
    {
      what: 'two charges for one key, of attempts that nobody heard of',
      kind: 'doubled charge',
      history: () => spoil((book) => book.call('second', 2000, { call: keyed, answer: null })),
    },
    {
      what: 'a charge of another amount than was delivered',
      kind: 'wrong amount',
      history: () => spoil((book) => book.call('costly', 2000, { entered: 6 })),
    },
    {
      what: 'an answer that tells of another amount than was charged',
      kind: 'wrong amount',
      history: () => spoil((book) => book.call('cheap', 2000, { answer: { charged: 4 } })),
    },
    {
      what: 'more units than the backend used',
      kind: 'wrong amount',
      history: () =>
        spoil((book) => {
          const call = { isFlat: false, maximum: 20 }
          book.call('units', 2000, { call, backend: { used: 3 } })
        }),
    },
    {
      what: 'a charge for an answer of the backend that is no success',
      kind: 'charge for a failed call',
      also: ['log differs'],
      history: () =>
        spoil((book) => book.call('failed', 2000, { answer: failed, backend: { status: 500 } })),
    },
    {
      what: 'a charge for a delivered call that was answered as failed',
      kind: 'charge for a failed call',
      also: ['log differs'],
      history: () => spoil((book) => book.call('failed', 2000, { answer: failed })),
    },
    {
      what: 'a charge that nobody gave back after 503 without a key',
      kind: 'charge for a failed call',
      history: () => {
        const answer = { status: 503, code: 'SERVICE_UNAVAILABLE', charged: null, remaining: null }
        return spoil((book) => book.call('unknown', 2000, { answer }))
      },
    },
    {
      what: 'a charge that no call asked for',
      kind: 'charge without a call',
      history: () =>
        spoil((book) => {
          const charge = { kind: 'charge', credits: -5, ref: 'req_invented', createdAtMs: 2000 }
          book.enter(charge)
        }),
    },
    {
      what: 'a live charge for a call of the sandbox',
      kind: 'charge without a call',
      history: () =>
        spoil((book) => {
          const answer = { charged: 0, remaining: 1000 }
          book.call('play', 2000, { call: { environment: 'sandbox' }, answer })
        }),
    },
    {
      what: 'a charge of an account that is suspended',
      kind: 'charge while suspended',
      history: () =>
        spoil(
          (book) => book.call('late', 3100),
          (history) => {
            const change = { accountId, status: 'SUSPENDED', startMs: 2000, endMs: 2010 } as const
            return { ...history, suspensions: [change] }
          },
        ),
    },
    {
      what: 'a refund of a call that succeeded, which nobody asked for',
      kind: 'refund without a reason',
      also: ['log differs'],
      history: () =>
        spoil((book) => {
          book.call('paid', 2000)
          const refund = { kind: 'refund', credits: 5, ref: 'req_paid', createdAtMs: 2050 }
          book.enter({ ...refund, description: 'The call was answered as failed' })
        }),
    },
    {
      what: 'a body that the backend did not send',
      kind: 'wrong answer',
      history: () => spoil((book) => book.call('other', 2000, { answer: { body: '{}' } })),
    },
    {
      what: 'a replay with another body',
      kind: 'replay differs',
      history: () => spoil((book) => book.replay('third', 2000, 'keyed', { body: '{ }' })),
    },
    {
      what: 'a replay that tells of another charge',
      kind: 'replay differs',
      history: () => spoil((book) => book.replay('third', 2000, 'keyed', { charged: 0 })),
    },
    {
      what: 'a second fresh success for a key',
      kind: 'doubled effect',
      also: ['wrong answer'],
      history: () => spoil((book) => book.replay('third', 2000, 'keyed', { isReplay: false })),
    },
    {
      what: 'a second request to the backend for a call without a key',
      kind: 'doubled effect',
      history: () =>
        spoil(nothing, (history) => {
          const again = history.asked.filter(({ request }) => request === 'plain')
          return { ...history, asked: [...again, ...history.asked] }
        }),
    },
    {
      what: 'two keys towards the backend for one key of the account',
      kind: 'doubled effect',
      history: () =>
        spoil(nothing, (history) => {
          const others = history.asked.filter(({ request }) => request === 'keyed')
          const requestId = 'req_other'
          const again = others.map((asked) => ({ ...asked, requestId, backendKey: 'another' }))
          return { ...history, asked: [...history.asked, ...again] }
        }),
    },
    {
      what: 'a failure although the key was answered',
      kind: 'wrong refusal',
      history: () =>
        spoil((book) => book.call('third', 2000, { ...none, call: keyed, answer: failed })),
    },
    {
      what: '409 although no other attempt may run',
      kind: 'wrong refusal',
      history: () => {
        const answer = { status: 409, code: 'IDEMPOTENCY_CONFLICT', charged: 0 }
        const call = { key: 'new' }
        return spoil((book) => book.call('alone', 2000, { ...none, call, answer }))
      },
    },
    {
      what: '422 although no other request may have the key',
      kind: 'wrong refusal',
      history: () => {
        const answer = { status: 422, code: 'INVALID_REQUEST', charged: 0 }
        return spoil((book) => book.call('same', 2000, { ...none, call: keyed, answer }))
      },
    },
    {
      what: '422 after the answer to another request, whose hold had not run out',
      kind: 'wrong refusal',
      history: () => {
        const late = { status: 504, code: 'BACKEND_TIMEOUT', charged: 0 }
        const answer = { status: 422, code: 'INVALID_REQUEST', charged: 0 }
        return spoil((book) => {
          book.call('late', 2000, { ...none, call: { key: 'c', endMs: 3900 }, answer: late })
          book.call('other', 4200, { ...none, call: { key: 'c' }, answer })
        })
      },
    },
    {
      what: '401 of an active account',
      kind: 'wrong refusal',
      history: () => {
        const answer = { status: 401, code: 'INVALID_API_KEY', charged: null, remaining: null }
        return spoil((book) => book.call('unknown', 2000, { ...none, answer }))
      },
    },
    {
      what: 'a timeout before the time was over, although the backend was not asked',
      kind: 'wrong refusal',
      history: () => {
        const answer = { status: 504, code: 'BACKEND_TIMEOUT', charged: 0 }
        const call = { endMs: 2999 }
        return spoil((book) => book.call('hasty', 2000, { ...none, call, answer }))
      },
    },
    {
      what: 'an internal error',
      kind: 'wrong refusal',
      history: () => {
        const answer = { status: 500, code: 'INTERNAL_ERROR', charged: null, remaining: null }
        return spoil((book) => book.call('broken', 2000, { ...none, answer }))
      },
    },
    {
      what: '402 although there were enough credits',
      kind: 'refused with enough credits',
      history: () => {
        const answer = { status: 402, code: 'INSUFFICIENT_CREDITS', charged: 0, remaining: null }
        return spoil((book) => book.call('rich', 2000, { ...none, answer }))
      },
    },
    {
      what: 'a balance from before an acknowledged charge',
      kind: 'stale read',
      history: () =>
        spoil((book) => {
          book.call('charged', 2000)
          book.read('stale', 2100, 90)
        }),
    },
    {
      what: 'a balance that goes back between two reads',
      kind: 'stale read',
      history: () =>
        spoil((book) => {
          book.call('under way', 2000, { call: { endMs: 2400 } })
          book.read('new', 2100, 85)
          book.read('old', 2200, 90)
        }),
    },
    {
      what: 'a broken backend after the time was over, although it was not asked',
      kind: 'wrong refusal',
      history: () => {
        const answer = { status: 502, code: 'BACKEND_ERROR', charged: 0 }
        const call = { endMs: 3000 }
        return spoil((book) => book.call('broken', 2000, { ...none, call, answer }))
      },
    },
    ...[
      { what: 'a charged call', answer: {}, entered: 5, call: {} },
      {
        ...{ what: 'a call without enough credits', answer: poor, entered: 0 },
        call: { maximum: 500, isFlat: false },
      },
      { what: 'a conflict of keys', answer: conflict, entered: 0, call: { key: 'k' } },
    ].map(({ what, answer, entered, call }) => ({
      what: `credits that ${what} holds after its answer, however late that came`,
      kind: 'stale read' as const,
      // No other attempt with the key was running.
      also: answer === conflict ? (['wrong refusal'] as const) : [],
      history: () =>
        spoil((book) => {
          const late = { ...call, endMs: 4500 }
          const backend = entered > 0 ? {} : null
          book.call('late', 2000, { call: late, answer, entered, backend })
          book.read('still held', 4600, 90 - entered, { held: 10 })
        }),
    })),
    {
      what: 'credits that a call holds after its answer, although its hold had not run out',
      kind: 'stale read',
      history: () =>
        spoil((book) => {
          const answer = { status: 504, code: 'BACKEND_TIMEOUT', charged: 0, remaining: 85 }
          book.call('released', 2000, { call: { endMs: 3999 }, answer, entered: 0 })
          book.read('still held', 4100, 90, { held: 10 })
        }),
    },
    {
      what: 'more credits held than calls can hold',
      kind: 'stale read',
      // One call without an answer may hold its five credits for ever.
      history: () => spoil((book) => book.read('held', 2000, 90, { held: 6 })),
    },
    {
      what: 'nothing held while the backend works',
      kind: 'stale read',
      history: () =>
        spoil((book) => {
          const backend = { atMs: 2400 }
          book.call('working', 2000, { call: { endMs: 2500 }, backend })
          book.read('unheld', 2100, 90)
        }),
    },
    {
      what: 'more remaining credits than there were',
      kind: 'stale read',
      history: () => spoil((book) => book.call('generous', 2000, { answer: { remaining: 90 } })),
    },
    {
      what: 'a usage summary with more than was charged',
      kind: 'stale read',
      history: () =>
        spoil(nothing, (history) => {
          const moment = { id: 'usage', accountId, gateway: 'gateway 1', credential: null }
          const read = {
            ...moment,
            startMs: 1,
            endMs: 20,
            shown: { kind: 'usage', credits: 5 },
          } as const
          return { ...history, reads: [...history.reads, read] }
        }),
    },
    {
      what: 'a success with an API key that has ended',
      kind: 'answer to an ended credential',
      history: () => spoil((book) => book.call('late', 9000, { call: { credential: 0 } }), rotate),
    },
    {
      what: 'a refusal of the API key that replaced another one',
      kind: 'wrong refusal',
      history: () =>
        spoil((book) => {
          const refused = { call: { credential: 1 }, answer: invalidKey, backend: null, entered: 0 }
          book.call('new', 9000, refused)
        }, rotate),
    },
    {
      what: 'a page of the ledger without its newest entry',
      kind: 'stale read',
      history: () =>
        spoil(
          nothing,
          readLedger((page) => page.slice(1)),
        ),
    },
    {
      what: 'a page of the ledger with another amount',
      kind: 'stale read',
      history: () =>
        spoil(
          nothing,
          readLedger(([newest, ...others]) =>
            newest ? [{ ...newest, credits: newest.credits + 1 }, ...others] : [],
          ),
        ),
    },
    {
      what: 'a charge that stands before one which was acknowledged earlier',
      kind: 'order of entries',
      history: () =>
        spoil((book) => {
          book.call('later', 2100, { answer: { remaining: null } })
          book.call('earlier', 2000, { answer: { remaining: null } })
        }),
    },
    {
      what: 'an acknowledged grant that is not there',
      kind: 'lost posting',
      history: () =>
        spoil(nothing, (history) => {
          const [posting] = history.postings
          if (!posting) throw new Error('There is no posting.')
          return { ...history, postings: [...history.postings, { ...posting, id: 'lost' }] }
        }),
    },
    {
      what: 'a grant that is there twice',
      kind: 'doubled posting',
      also: ['order of entries', 'stale read', 'wrong expiry', 'refused with enough credits'],
      history: () =>
        spoil((book) => {
          book.enter({ credits: 20, ref: 'internal:2', description: 'granted', createdAtMs: 2000 })
        }),
    },
    {
      what: 'an expiry of more than was left',
      kind: 'wrong expiry',
      history: () =>
        spoil((book) => {
          book.post('short', 2000, { expiresAtMs: 2100 })
          book.enter({ kind: 'expiry', credits: -21, createdAtMs: 2200 })
        }),
    },
    {
      what: 'a grant that ended and was not taken back',
      kind: 'wrong expiry',
      history: () => spoil((book) => book.post('short', 2000, { expiresAtMs: 2100 })),
    },
    {
      what: 'a debt that nobody asked for',
      kind: 'books differ',
      history: () => spoil((book) => book.post('down', 2000, { kind: 'adjustment', credits: -95 })),
    },
    {
      what: 'a charge of a hold that was placed after a debt',
      kind: 'books differ',
      history: () =>
        spoil((book) => {
          book.post('forced', 2000, { kind: 'adjustment', credits: -95, allowNegative: true })
          book.call('late', 20_000)
        }),
    },
    {
      what: 'a charge without its line in the log',
      kind: 'log missing',
      history: () =>
        spoil(
          nothing,
          withBooks(({ log }) => ({ log: log.slice(1) })),
        ),
    },
    {
      what: 'a line of the log with other credits',
      kind: 'log differs',
      history: () =>
        spoil(
          nothing,
          withBooks(({ log }) => ({ log: log.map((row) => ({ ...row, credits: 4 })) })),
        ),
    },
    {
      what: 'a line of the log twice',
      kind: 'log differs',
      history: () =>
        spoil(
          nothing,
          withBooks(({ log }) => ({ log: [...log, ...log] })),
        ),
    },
    {
      what: 'a usage summary that is not the ledger',
      kind: 'log differs',
      history: () =>
        spoil(
          nothing,
          withBooks(() => ({ summaries: [{ accountId, credits: 1 }] })),
        ),
    },
    {
      what: 'a balance that is not the sum of the ledger',
      kind: 'books differ',
      history: () =>
        spoil(
          nothing,
          withBooks(({ balances }) => ({
            balances: balances.map((row) => ({ ...row, balance: row.balance + 1 })),
          })),
        ),
    },
    {
      what: 'an entry that changed after a snapshot',
      kind: 'books differ',
      history: () =>
        spoil(nothing, (history) => ({
          ...history,
          snapshots: history.snapshots.map((one) => ({ ...one, entries: '1 start 99' })),
        })),
    },
    {
      what: 'a drift that the verification found',
      kind: 'books differ',
      history: () =>
        spoil(
          nothing,
          withBooks(() => ({ drifts: ['entry 3'] })),
        ),
    },
    {
      what: 'credits held when all is quiet',
      kind: 'hold left',
      history: () =>
        spoil(
          nothing,
          withBooks(({ balances }) => ({ balances: balances.map((row) => ({ ...row, held: 5 })) })),
        ),
    },
  ]

  test.each(cases)('names $what: $kind', ({ kind, also = [], history }) => {
    expect(new Set(kindsOf(history()))).toEqual(new Set([kind, ...also]))
  })
})
