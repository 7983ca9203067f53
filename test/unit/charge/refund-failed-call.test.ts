import { describe, expect, test } from 'vitest'
import { refundFailedCall } from '../../../rest-facade/charge/refund-failed-call.ts'
import { ApiError, unavailable } from '../../../rest-facade/http/errors.ts'
import { answeringGraph } from '../../support/graph/answering-graph.ts'

const requestIds = Array.from({ length: 100 }, (_, index) => `req_${index}`)

/** Refunds all of them; answers with the order of refunds and how many were under way at once. */
async function refundAll(refund: (requestId: string) => void) {
  const refunded: string[] = []
  let underWay = 0
  let mostUnderWay = 0
  const execute = answeringGraph(async (_operation, variables) => {
    const { requestId } = Object(variables).input
    underWay += 1
    mostUnderWay = Math.max(mostUnderWay, underWay)
    await new Promise(setImmediate)
    underWay -= 1
    refunded.push(requestId)
    refund(requestId)
    return {}
  })
  const outcomes = await Promise.allSettled(
    requestIds.map((requestId) =>
      refundFailedCall(execute, { accountId: 'acct_1', environment: 'live', requestId }),
    ),
  )
  const failed = requestIds.filter((_, index) => outcomes[index]?.status === 'rejected')
  return { refunded, failed, mostUnderWay }
}

describe('refunding failed calls', () => {
  test('leaves most connections to others, for any number of refunds', async () => {
    const { refunded, failed, mostUnderWay } = await refundAll(() => {})

    expect([refunded.toSorted(), failed]).toEqual([requestIds.toSorted(), []])
    expect(mostUnderWay).toBeLessThanOrEqual(2)
  })

  test('continues after an outage until all are refunded', async () => {
    let failures = 3

    const { refunded, failed } = await refundAll(() => {
      failures -= 1
      if (failures >= 0) throw unavailable('The database is unavailable at the moment.')
    })

    expect(failed).toEqual([])
    expect(refunded).toHaveLength(requestIds.length + 3)
    expect(new Set(refunded)).toEqual(new Set(requestIds))
  })

  test('is not stopped by one that was refunded before or that cannot be', async () => {
    const { refunded, failed } = await refundAll((requestId) => {
      if (requestId === 'req_7') throw new ApiError('CONFLICT', 'This was entered before.')
      if (requestId === 'req_8') throw new ApiError('NOT_FOUND', 'No charge has this request id.')
    })

    expect(failed).toEqual(['req_8'])
    expect(refunded.toSorted()).toEqual(requestIds.toSorted())
  })
})
