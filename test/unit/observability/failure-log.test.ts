import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import type { Call } from '../../../rest-facade/http/call.ts'
import { ApiError, unavailable } from '../../../rest-facade/http/errors.ts'
import { createFailureLog } from '../../../rest-facade/steps/failure-log.ts'

const call: Call = {
  ...{ requestId: 'req_1', traceId: 't', environment: 'live', arrivedAt: new Date() },
  ...{ arrivedAtMs: 0, method: 'GET', endpoint: '/v1/x', address: '192.0.2.1' },
  ...{
    route: '/v1/x',
    service: 'account',
    backendModule: 'x',
    corsHeaders: {},
    routeHeaders: {},
    endUser: null,
  },
  ...{
    caller: null,
    client: null,
    form: null,
    credential: '',
    credentialId: '',
    clientChallenge: '',
  },
  ...{
    budgetOwners: [],
    noticesBefore: 0,
    limiter: 'account',
    rateLimitRps: 1,
    rateWindow: null,
    isDispatched: false,
    toolStatus: null,
    whenAnswered: null,
    releaseRoom: null,
    spent: null,
    creditsCharged: 0,
    failure: null,
    settling: null,
  },
}

afterEach(() => {
  vi.useRealTimers()
})

test('outages are logged a few times a second, and every internal error is logged', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const lines: { readonly level: number; readonly leftOut?: number }[] = []
  const note = createFailureLog(pino({}, { write: (line) => void lines.push(JSON.parse(line)) }))

  for (let count = 0; count < 5000; count += 1) note(unavailable('Too many.'), call)
  vi.advanceTimersByTime(1000)
  for (let count = 0; count < 5000; count += 1) note(unavailable('Too many.'), call)
  for (let count = 0; count < 100; count += 1) note(new ApiError('INTERNAL_ERROR', 'Oh.'), call)

  const warnings = lines.filter(({ level }) => level === 40)
  expect(warnings).toHaveLength(40)
  expect(warnings[20]).toMatchObject({ leftOut: 4980 })
  expect(lines.filter(({ level }) => level === 50)).toHaveLength(100)
})
