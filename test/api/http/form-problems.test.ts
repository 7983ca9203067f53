import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

const headers = { 'content-type': 'application/x-www-form-urlencoded' }

test.each([
  ['/v1/oauth/consent', '?decision=maybe', 'decision', 'must be allow or deny'],
  ['/billing/simulated', '?signature=x', 'payment_id', 'is required'],
])(
  'POST %s names a form that cannot be read together with the problems of its query',
  async (path, query, field, problem) => {
    const { liveKey: key } = await gateway.createAccount()
    const inQuery = { field, in: 'query' as const, message: problem }

    for (const [form, name, message] of [
      ['twice=1&twice=2', 'twice', 'must be sent once'],
      ['bytes=%ff', 'bytes', expect.stringContaining('UTF-8')],
    ] as const) {
      const answer = await gateway.live.request(path + query, {
        ...{ method: 'POST', key, headers, body: form },
      })

      expectError(gateway, answer, {
        ...{ status: 422, code: 'INVALID_REQUEST' },
        message: expect.stringMatching(`^${field}: ${problem}; ${name}: `),
        details: [inQuery, { field: name, in: 'body', message }],
      })
    }
  },
)
