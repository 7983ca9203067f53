import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createUsageRecorder } from '../../../rest-facade/charge/usage-log/usage-recorder.ts'
import type { Call } from '../../../rest-facade/http/call.ts'
import { unavailable } from '../../../rest-facade/http/errors.ts'
import { answeringGraph } from '../../support/graph/answering-graph.ts'

const hangs = () => new Promise<never>(() => {})

test('a reader of the usage log does not wait for an entry whose statement hangs', async () => {
  const log = pino({ level: 'silent' })
  const recorder = createUsageRecorder(hangs, log, { databaseTimeoutMs: 100 })
  void recorder.recover(Object({ accountId: 'acct_1', credits: 0 }))

  await recorder.recordedIfPossible()

  expect(recorder.waiting()).toBe(1)
})

describe('the entries of answered calls', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** A graph that answers a batch when the test says, and the requests of the batches. */
  function startRecorder() {
    const batches: string[][] = []
    const answers: PromiseWithResolvers<unknown>[] = []
    const recorder = createUsageRecorder(
      answeringGraph((operation, { batch }) => {
        if (operation !== 'RecordUsageBatch') return 1
        batches.push([...Object(batch).requestIds])
        const answer = Promise.withResolvers<unknown>()
        answers.push(answer)
        return answer.promise
      }),
      pino({ level: 'silent' }),
      { databaseTimeoutMs: 1000 },
    )
    const record = (requestId: string, more: Partial<Call> = {}) =>
      recorder.record(Object({ ...call, requestId, ...more }), 200)
    return { recorder, batches, answers, record }
  }

  const call = {
    ...{ environment: 'live', arrivedAt: new Date(), arrivedAtMs: 0, method: 'GET' },
    ...{ endpoint: '/v1/x', route: '/v1/x', service: 'seo', traceId: '', backendModule: 'x' },
    ...{ caller: { accountId: 'acct_1', keyId: null }, endUser: null },
    ...{ creditsCharged: 1, settling: null },
  }
  const settled = () => vi.advanceTimersByTimeAsync(0)

  test('go together after a tenth of a second, one batch at a time', async () => {
    const { recorder, batches, answers, record } = startRecorder()

    record('one')
    await vi.advanceTimersByTimeAsync(99)
    record('two')
    expect(batches).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(batches).toEqual([['one', 'two']])
    record('three')
    await vi.advanceTimersByTimeAsync(100)
    expect([batches.length, recorder.waiting()]).toEqual([1, 3])
    answers[0]?.resolve(true)
    await settled()

    expect(batches).toEqual([['one', 'two'], ['three']])
    answers[1]?.resolve(true)
    await settled()
    expect([recorder.waiting(), recorder.batched?.()]).toEqual([0, { batches: 2, items: 3 }])
  })

  test('go at once when somebody waits for them, or 2,000 are there', async () => {
    const { recorder, batches, answers, record } = startRecorder()

    record('read')
    let isRead = false
    void recorder.recorded().then(() => {
      isRead = true
    })
    await settled()
    for (let index = 0; index < 2001; index += 1) record(`many ${index}`)
    expect([batches, isRead]).toEqual([[['read']], false])
    answers[0]?.resolve(true)
    await settled()

    expect([batches.length, isRead]).toEqual([2, true])
    expect(batches[1]).toHaveLength(2000)
  })

  test('whose charge is not known yet wait for it, and so does a reader', async () => {
    const { recorder, batches, answers, record } = startRecorder()
    const settling = Promise.withResolvers<{ readonly credits: number }>()

    record('late', { settling: settling.promise })
    record('soon')
    const reading = recorder.recorded()
    await settled()
    answers[0]?.resolve(true)
    settling.resolve({ credits: 5 })
    await vi.advanceTimersByTimeAsync(100)
    expect(batches).toEqual([['soon'], ['late']])
    answers[1]?.resolve(true)

    await reading
    expect([recorder.waiting(), recorder.isCaughtUp()]).toEqual([0, true])
  })

  test('of which one cannot be written are written but for that one', async () => {
    const written: string[] = []
    const recorder = createUsageRecorder(
      answeringGraph((operation, { batch }) => {
        if (operation !== 'RecordUsageBatch') return 1
        const { requestIds } = Object(batch)
        if (requestIds.includes('odd')) throw new Error('no such text')
        written.push(...requestIds)
        return true
      }),
      pino({ level: 'silent' }),
    )
    for (const requestId of ['one', 'two', 'odd', 'three'])
      recorder.record(Object({ ...call, requestId }), 200)

    await recorder.recorded()

    expect(written).toEqual(['one', 'two', 'three'])
    expect([recorder.waiting(), recorder.isCaughtUp()]).toEqual([0, false])
  })

  test('wait for an unavailable database, and their readers do not', async () => {
    let isAway = true
    const recorder = createUsageRecorder(
      async (operation) => {
        if (isAway && operation === 'RecordUsageBatch') throw unavailable('away')
        return operation === 'RecordUsageBatch' ? true : 1
      },
      pino({ level: 'silent' }),
    )
    recorder.record(Object({ ...call, requestId: 'one' }), 200)

    await recorder.recordedIfPossible()
    await recorder.recordedIfPossible()
    expect(recorder.waiting()).toBe(1)
    isAway = false
    const recorded = recorder.recorded()
    await vi.advanceTimersByTimeAsync(2000)

    await recorded
    expect(recorder.waiting()).toBe(0)
  })
})
