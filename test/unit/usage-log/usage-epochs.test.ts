import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { type CallEntry, usageBatchOf } from '../../../rest-facade/charge/usage-log/usage-batch.ts'
import { createUsageEpochs } from '../../../rest-facade/charge/usage-log/usage-epochs.ts'
import { answeringGraph } from '../../support/graph/answering-graph.ts'

const entry: CallEntry = {
  ...{ accountId: 'acct_1', environment: 'live', requestId: 'req_1', arrivedAtMs: 1000 },
  ...{ method: 'GET', endpoint: '/v1/x', route: '/v1/x', service: 'seo', status: 200, credits: 0 },
  ...{ latencyMs: 1, traceId: '', backendModule: 'x', keyId: null },
}

interface GraphOptions {
  /** Whether the epoch takes entries no more. */
  readonly refuses?: (epoch: number) => boolean
  readonly failsToFold?: boolean
}

/** A graph that numbers epochs from 1, and what it was asked for. */
function graphOf({ refuses = () => false, failsToFold = false }: GraphOptions = {}) {
  const asked: string[] = []
  let opened = 0
  const execute = answeringGraph((operation, { epoch: number }) => {
    const epoch = Number(number)
    asked.push(operation === 'OpenUsageEpoch' ? operation : `${operation} ${epoch}`)
    if (operation === 'OpenUsageEpoch') return ++opened
    if (operation === 'RecordUsageBatch') return !refuses(epoch)
    if (failsToFold) throw new Error('away')
    return true
  })
  return {
    asked,
    epochs: createUsageEpochs(execute, createLog({ level: 'silent', format: 'json' })),
  }
}

describe('the epoch of a recording process', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  test('ends after 50,000 entries, and the next entry opens another', async () => {
    const { asked, epochs } = graphOf()
    const half = Array.from({ length: 25_000 }, () => entry)

    for (const entries of [half, half, [entry]]) await epochs.record(usageBatchOf(entries))

    expect(asked).toEqual([
      ...['OpenUsageEpoch', 'RecordUsageBatch 1', 'RecordUsageBatch 1', 'FoldUsageEpoch 1'],
      ...['OpenUsageEpoch', 'RecordUsageBatch 2'],
    ])
  })

  test('ends a minute after it was opened, whether entries come or not', async () => {
    const { asked, epochs } = graphOf()

    await epochs.record(usageBatchOf([entry]))
    await vi.advanceTimersByTimeAsync(59_999)
    await epochs.record(usageBatchOf([entry]))
    const before = [...asked]
    await vi.advanceTimersByTimeAsync(1)
    await vi.advanceTimersByTimeAsync(600_000)

    expect(before).toEqual(['OpenUsageEpoch', 'RecordUsageBatch 1', 'RecordUsageBatch 1'])
    expect(asked).toEqual([...before, 'FoldUsageEpoch 1'])
  })

  test('ends when the process stops, once', async () => {
    const { asked, epochs } = graphOf()
    await epochs.record(usageBatchOf([entry]))

    await epochs.end()
    await epochs.end()

    expect(asked).toEqual(['OpenUsageEpoch', 'RecordUsageBatch 1', 'FoldUsageEpoch 1'])
  })

  test('is followed by another when another process has ended it', async () => {
    const { asked, epochs } = graphOf({ refuses: (epoch) => epoch === 1 })

    await epochs.record(usageBatchOf([entry]))

    expect(asked).toEqual([
      ...['OpenUsageEpoch', 'RecordUsageBatch 1', 'FoldUsageEpoch 1'],
      ...['OpenUsageEpoch', 'RecordUsageBatch 2'],
    ])
  })

  test('fails to take entries for the moment when a new one refuses them too', async () => {
    const { epochs } = graphOf({ refuses: () => true })

    await expect(epochs.record(usageBatchOf([entry]))).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'A new epoch takes no usage entries.',
    })
  })

  test('is left to others when it cannot be added to the sums', async () => {
    const { asked, epochs } = graphOf({ failsToFold: true })
    await epochs.record(usageBatchOf([entry]))

    await epochs.end()
    await epochs.record(usageBatchOf([entry]))

    expect(asked.slice(-2)).toEqual(['OpenUsageEpoch', 'RecordUsageBatch 2'])
  })
})
