import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

let backend: StubBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = await startStubBackend()
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

async function reveal(through: TestGateway = gateway) {
  const account = await through.createAccount({ credits: 100 })
  const body = { contact_id: 'con_1' }
  const response = await through.live.post('/v1/contacts/reveal', body, account.liveKey)
  return { gateway: through, account, response }
}

/** The whole answer says 0 credits, and so do ledger and usage log. */
async function expectNothingCharged(
  { gateway, account, response }: Awaited<ReturnType<typeof reveal>>,
  expected: { readonly status: number; readonly code: string; readonly message?: string },
): Promise<void> {
  expectError(gateway, response, expected)
  expect(response.headers.get('x-credits-charged')).toBe('0')
  expect(response.headers.get('x-credits-remaining')).toBe('100')
  const credits = await gateway.live.get('/v1/account/credits', account.liveKey)
  expect(credits.body).toMatchObject({ balance: 100, held: 0, available: 100 })
  const log = await gateway.live.get('/v1/account/usage/log?service=contacts', account.liveKey)
  expect(log.body).toMatchObject({
    items: [{ status: expected.status, credits: 0, backend_module: 'contact-finder' }],
  })
  await expectExactBooks(gateway)
}

describe("a backend's refusal", () => {
  const passed = [
    { status: 400, code: 'BAD_REQUEST' },
    { status: 404, code: 'NOT_FOUND' },
    { status: 409, code: 'CONFLICT' },
    { status: 410, code: 'NOT_FOUND' },
  ]

  test.each(passed)(
    'with status $status is passed on as $code, with its message, for 0 credits',
    async (expected) => {
      backend.answer((_, res) =>
        sendBackendJson(res, expected.status, { message: 'No such contact.' }),
      )

      const outcome = await reveal()

      await expectNothingCharged(outcome, { ...expected, message: 'No such contact.' })
    },
  )

  test('with status 422 is passed on as INVALID_REQUEST, with its message, for 0 credits', async () => {
    backend.answer((_, res) => sendBackendJson(res, 422, { message: 'No such contact.' }))

    const { account, response } = await reveal()

    expect(response.status).toBe(422)
    expect(response.body).toMatchObject({
      error: { code: 'INVALID_REQUEST', message: 'No such contact.', status: 422 },
    })
    expect(response.headers.get('x-credits-charged')).toBe('0')
    const credits = await gateway.live.get('/v1/account/credits', account.liveKey)
    expect(credits.body).toMatchObject({ balance: 100, held: 0, available: 100 })
    await expectExactBooks(gateway)
  })

  test('keeps its message when it uses our envelope', async () => {
    backend.answer((_, res) =>
      sendBackendJson(res, 404, { error: { code: 'GONE_FISHING', message: 'Nobody is here.' } }),
    )

    const outcome = await reveal()

    await expectNothingCharged(outcome, {
      status: 404,
      code: 'NOT_FOUND',
      message: 'Nobody is here.',
    })
  })

  test.each([
    ['no message', {}],
    ['an empty message', { message: '' }],
    ['a message that is no text', { message: { text: 'no' } }],
    ['a message of more than 500 characters', { message: 'x'.repeat(501) }],
    ['null', null],
  ])('gets our own message when it has %s', async (_, body) => {
    backend.answer((_request, res) => sendBackendJson(res, 409, body))

    const outcome = await reveal()

    await expectNothingCharged(outcome, {
      status: 409,
      code: 'CONFLICT',
      message: 'Contact Finder refused the request.',
    })
  })

  test('gets our own message when it is an HTML page', async () => {
    backend.answer(
      (_, res) =>
        void res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>'),
    )

    const outcome = await reveal()

    await expectNothingCharged(outcome, {
      status: 404,
      code: 'NOT_FOUND',
      message: 'Contact Finder refused the request.',
    })
  })
})

describe("a backend's failure", () => {
  const badGateway = {
    status: 502,
    code: 'BACKEND_ERROR',
    message: 'contact-finder did not answer properly.',
  } as const

  test.each([301, 302, 304, 401, 402, 403, 405, 406, 413, 418, 429, 500, 501, 502, 503, 504, 599])(
    "with status %i becomes BACKEND_ERROR, for 0 credits and without the backend's message",
    async (status) => {
      backend.answer((_, res) =>
        sendBackendJson(
          res,
          status,
          { message: 'a secret of the backend' },
          { location: '/elsewhere', 'retry-after': '7', 'www-authenticate': 'Basic' },
        ),
      )

      const outcome = await reveal()

      await expectNothingCharged(outcome, badGateway)
      expect(outcome.response.headers.get('location')).toBeNull()
      expect(outcome.response.headers.get('retry-after')).toBeNull()
      expect(outcome.response.headers.get('www-authenticate')).toBeNull()
    },
  )

  const answers: readonly (readonly [string, (res: ServerResponse) => void])[] = [
    [
      'an HTML page with status 200',
      (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
    ],
    [
      'JSON that calls itself text',
      (res) => void res.writeHead(200, { 'content-type': 'text/plain' }).end('{}'),
    ],
    ['JSON of no type', (res) => void res.writeHead(200).end('{}')],
    [
      'half of a JSON text',
      (res) => void res.writeHead(200, { 'content-type': 'application/json' }).end('{"items": ['),
    ],
    [
      'an empty body',
      (res) => void res.writeHead(200, { 'content-type': 'application/json' }).end(),
    ],
    [
      'a body that ends before its length',
      (res) => {
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        res.write('{}', () => res.destroy())
      },
    ],
    ['a connection that is reset', (res) => void res.socket?.resetAndDestroy()],
    ['a connection that is closed', (res) => void res.socket?.destroy()],
    [
      'more than 10 MiB',
      (res) => {
        res.on('error', () => {})
        const text = JSON.stringify({ text: 'x'.repeat(10 * 1024 * 1024) })
        res.writeHead(200, { 'content-type': 'application/json' }).end(text)
      },
    ],
    ['something that is not HTTP', (res) => void res.socket?.end('hello\r\n\r\n')],
  ]

  test.each(answers)('%s becomes BACKEND_ERROR, for 0 credits', async (_, answer) => {
    backend.answer((_request, res) => answer(res))

    const outcome = await reveal()

    await expectNothingCharged(outcome, badGateway)
  })

  test('is not retried without the caller’s knowledge', async () => {
    const receivedBefore = backend.received.length
    backend.answer((_, res) => void res.socket?.destroy())

    await reveal()

    expect(backend.received).toHaveLength(receivedBefore + 1)
  })

  test('is followed by a success that is charged as usual', async () => {
    const { liveKey } = await gateway.createAccount({ credits: 100 })
    const call = () => gateway.live.post('/v1/contacts/reveal', { contact_id: 'con_1' }, liveKey)
    backend.answer((_, res) => void res.socket?.destroy())
    const failed = await call()
    backend.answer((_, res) => sendBackendJson(res, 200, { contact_id: 'con_1' }))

    const succeeded = await call()

    expect([failed.status, succeeded.status]).toEqual([502, 200])
    expect(succeeded.headers.get('x-credits-remaining')).toBe('95')
    await expectExactBooks(gateway)
  })
})

describe("a backend's silence", () => {
  let impatient: TestGateway
  beforeAll(async () => {
    const variables = { BACKEND_CONTACT_FINDER_URL: backend.url, BACKEND_TIMEOUT_MS: '1000' }
    impatient = await startTestGateway(variables)
  })
  afterAll(() => impatient.close())

  const tooLate = {
    status: 504,
    code: 'BACKEND_TIMEOUT',
    message: 'contact-finder did not answer in time.',
  } as const

  test('becomes BACKEND_TIMEOUT at the deadline, for 0 credits', async () => {
    backend.answer(() => {})

    const outcome = await reveal(impatient)

    await expectNothingCharged(outcome, tooLate)
  })

  test('in the middle of an answer becomes BACKEND_TIMEOUT too', async () => {
    backend.answer((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      res.write('{"contact_id":')
    })

    const outcome = await reveal(impatient)

    await expectNothingCharged(outcome, tooLate)
  })

  test('is not ended by bytes that trickle in: the deadline is for the whole answer', async () => {
    backend.answer((_, res) => {
      res.on('error', () => {})
      res.writeHead(200, { 'content-type': 'application/json' })
      const trickle = setInterval(() => res.write(' '), 50)
      res.on('close', () => clearInterval(trickle))
    })

    const outcome = await reveal(impatient)

    await expectNothingCharged(outcome, tooLate)
  })
})
