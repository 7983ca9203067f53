import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { sharedGateway, type TestGateway } from '../../support/gateway/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await sharedGateway()
})
afterAll(() => gateway.close())

/** `fetch` sends paths only; a proxy sends whole addresses. */
async function getTarget(target: string) {
  const { hostname, port } = new URL(gateway.baseUrl)
  const req = request({ hostname, port, path: target }).end()
  const [res] = await once(req, 'response')
  const headers = new Headers(res.headers)
  return { status: res.statusCode, headers, body: JSON.parse(await text(res)) }
}

test('an absolute address as request target is answered like its path', async () => {
  const { status, body } = await getTarget('http://elsewhere.example/v1/health')

  expect([status, body.status]).toEqual([200, 'ok'])
})

test('an invalid address as request target is refused with 400, in the envelope', async () => {
  const response = await getTarget('http://[')

  expectError(gateway, response, {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'This is not a valid HTTP request.',
  })
})
