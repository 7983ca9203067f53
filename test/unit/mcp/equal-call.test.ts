import { expect, test } from 'vitest'
import { refusalOf } from '../../../rest-facade/charge/refusals.ts'
import { ApiError } from '../../../rest-facade/http/errors.ts'
import { EqualCall, noAnswer } from '../../../rest-facade/mcp/equal-call.ts'

/** Whoever asked, and what it was told. */
function asking() {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  return {
    told: promise,
    answering: {
      isGone: () => false,
      onGone: () => () => {},
      setElsewhere: () => {},
      answer: (status: number) => resolve(status),
      fail: resolve,
    },
  }
}

const running = refusalOf('running', null)

test('an equal call that has waited as long as it may is told to call again', async () => {
  const { told, answering } = asking()
  let asked = 0
  const equal = new EqualCall(answering, {
    patienceMs: 120,
    gone: noAnswer,
    repeat(waiting) {
      asked += 1
      waiting.fail(running)
    },
  })

  equal.fail(running)

  expect(await told).toBe(noAnswer)
  expect(asked).toBeGreaterThan(0)
})

test.each([
  ['AUTHENTICATION_REQUIRED', 401],
  ['FORBIDDEN', 403],
] as const)('%s, met while it waits, is told as it is', async (code, status) => {
  const { told, answering } = asking()
  const refusal = new ApiError(code, 'Not any more.')
  const equal = new EqualCall(answering, {
    patienceMs: 60_000,
    gone: noAnswer,
    repeat: (waiting) => waiting.fail(refusal),
  })

  equal.fail(running)

  expect(await told).toBe(refusal)
  expect(refusal.status).toBe(status)
})

test('any other refusal, met while it waits, is one that a new call can learn', async () => {
  const { told, answering } = asking()
  const equal = new EqualCall(answering, {
    patienceMs: 60_000,
    gone: noAnswer,
    repeat: (waiting) => waiting.fail(new ApiError('INSUFFICIENT_CREDITS', 'Too few.')),
  })

  equal.fail(running)

  expect(await told).toBe(noAnswer)
})
