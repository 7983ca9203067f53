import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Backend } from '../../../rest-facade/backends/backend.ts'
import { createBackend } from '../../../rest-facade/backends/backend-client.ts'
import { ClientGone } from '../../../rest-facade/http/errors.ts'
import { askModule, type Client, staying, uncounted } from '../../support/stubs/ask-module.ts'
import { patience } from '../../support/time/patience.ts'

/** A module that speaks HTTP byte by byte, as the test says. */
let server: Server
let url: string
let received = 0
/** Connections that the gateway has closed. */
let closed = 0
let speak: (socket: Socket) => void
beforeAll(async () => {
  server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('close', () => {
      closed += 1
    })
    let asked = ''
    socket.on('data', (chunk) => {
      asked += chunk.toString('latin1')
      if (!asked.endsWith('\r\n\r\n')) return
      asked = ''
      received += 1
      speak(socket)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.close()
})

const request = {
  method: 'GET',
  path: '/reveal',
  headers: [],
  callerHeaders: () => [],
  body: null,
  isRepeatable: false,
} as const
const maxAnswerBytes = 10 * 1024 * 1024
/** How many calls of one account run at once. */
const mostRunning = 32

async function withBackend<Result>(
  timeoutMs: number,
  use: (backend: Backend) => Promise<Result>,
): Promise<Result> {
  // A module without a breaker: calls fail here as the test likes.
  const backend = createBackend({
    ...{ module: 'contact-finder', url, timeoutMs, isSimulated: true },
    counts: uncounted,
  })
  try {
    return await use(backend)
  } finally {
    await backend.close()
  }
}

const text = '{"name":"Žofie 🙂"}'
const bytes = Buffer.from(text)
const type = 'Content-Type: application/json\r\n'
const counted = Buffer.concat([
  Buffer.from(`HTTP/1.1 200 OK\r\n${type}Content-Length: ${bytes.length}\r\n\r\n`),
  bytes,
])
const chunked = Buffer.concat([
  Buffer.from(`HTTP/1.1 200 OK\r\n${type}Transfer-Encoding: chunked\r\n\r\n`),
  Buffer.from(`${bytes.length.toString(16)}\r\n`),
  bytes,
  Buffer.from('\r\n0\r\n\r\n'),
])
const forms = [
  ['with a length', counted],
  ['in chunks', chunked],
] as const

describe('an answer of a backend module', () => {
  test.each(forms)('%s: cut after any byte, it is BACKEND_ERROR', async (_, answer) => {
    const codes = await withBackend(60_000, async (backend) => {
      const found = new Set<unknown>()
      for (let length = 0; length < answer.length; length += 1) {
        speak = (socket) => socket.end(answer.subarray(0, length))
        const outcome = await askModule(backend, request).catch((error: unknown) => error)
        found.add(Object(outcome).code)
      }
      return found
    })

    expect(codes).toEqual(new Set(['BACKEND_ERROR']))
  })

  test.each(forms)('%s: sent byte by byte, it is read whole', async (_, answer) => {
    speak = (socket) => {
      let next = 0
      const sendByte = () => {
        socket.write(answer.subarray(next, next + 1))
        next += 1
        if (next < answer.length) setImmediate(sendByte)
      }
      sendByte()
    }

    const { status, headers, body } = await withBackend(60_000, (backend) =>
      askModule(backend, request),
    )

    expect({ status, type: headers['content-type'], body }).toEqual({
      status: 200,
      type: 'application/json',
      body: text,
    })
  })

  test('a 1xx before it is not the answer', async () => {
    speak = (socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n')
      socket.write(counted)
    }

    const { status, headers, body } = await withBackend(60_000, (backend) =>
      askModule(backend, request),
    )

    expect([status, headers.link, body]).toEqual([200, undefined, text])
  })

  test.each([
    ['of 10 MiB is read', maxAnswerBytes, 200],
    ['of one byte more is BACKEND_ERROR', maxAnswerBytes + 1, 'BACKEND_ERROR'],
  ] as const)('one %s', async (_, length, expected) => {
    speak = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${type}Transfer-Encoding: chunked\r\n\r\n`)
      socket.write(`${length.toString(16)}\r\n`)
      socket.write(Buffer.alloc(length, '1'))
      socket.write('\r\n0\r\n\r\n')
    }

    const outcome = await withBackend(60_000, (backend) =>
      askModule(backend, request).then(
        ({ status, body }) => [status, body.length],
        (error: unknown) => [Object(error).code, length],
      ),
    )

    expect(outcome).toEqual([expected, length])
  })

  test.each([
    ['small', 10],
    ['large', 50_000],
  ])('a %s one with bytes that are not UTF-8 has U+FFFD for them', async (_, length) => {
    const wrong = Buffer.concat([Buffer.alloc(length, 'x'), Buffer.from([0xff, 0xc5])])
    speak = (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${type}Content-Length: ${wrong.length}\r\n\r\n`)
      socket.write(wrong)
    }

    const { body } = await withBackend(60_000, (backend) => askModule(backend, request))

    expect(Buffer.from(body)).toEqual(Buffer.from(`${'x'.repeat(length)}\ufffd\ufffd`))
  })

  test.each([
    ['never begins', 0],
    ['stops in its headers', 20],
    ['stops in its body', counted.length - 1],
  ])('one that %s is BACKEND_TIMEOUT, and its connection is closed', async (_, length) => {
    speak = (socket) => socket.write(counted.subarray(0, length))
    closed = 0

    const outcome = await withBackend(50, async (backend) => {
      const failure = await askModule(backend, request).catch((error: unknown) => error)
      await vi.waitUntil(() => closed === 1, patience)
      return failure
    })

    expect(outcome).toMatchObject({ code: 'BACKEND_TIMEOUT', status: 504 })
  })
})

test('a call that fails when it is its turn harms none of those before and behind it', async () => {
  const options = { module: 'contact-finder', url, timeoutMs: 60_000, isSimulated: false }
  const backend = createBackend({ ...options, counts: uncounted })
  received = 0
  const answer: (() => void)[] = []
  speak = (socket) => void answer.push(() => socket.write(counted))
  const running = Array.from({ length: mostRunning }, () => askModule(backend, request))
  await vi.waitUntil(() => received === mostRunning, patience)

  const unsigned = {
    ...request,
    callerHeaders() {
      throw new Error('no key can sign')
    },
  }
  const failing = askModule(backend, unsigned).catch((error: unknown) => error)
  const behind = askModule(backend, request)
  for (const answerOne of answer.splice(0)) answerOne()
  const answers = await Promise.all(running)
  await vi.waitUntil(() => answer.length === 1, patience)
  answer[0]?.()

  expect(answers.map(({ status }) => status)).toEqual(Array(mostRunning).fill(200))
  expect(await failing).toMatchObject({ message: 'no key can sign' })
  expect(await behind).toMatchObject({ status: 200, body: text })
  expect(received).toBe(mostRunning + 1)
  await backend.close()
})

describe('a client that hangs up', () => {
  test('while its call waits for a place: nothing is sent', async () => {
    const options = { module: 'contact-finder', url, timeoutMs: 60_000, isSimulated: false }
    const backend = createBackend({ ...options, counts: uncounted })
    received = 0
    speak = () => {}
    const running = Array.from({ length: mostRunning }, () => askModule(backend, request))
    const ended = Promise.allSettled(running)
    await vi.waitUntil(() => received === mostRunning, patience)
    let hangUp = () => {}
    const client: Client = {
      ...staying,
      onGone(leave) {
        hangUp = leave
        return () => {}
      },
    }

    const call = askModule(backend, request, client).catch((error: unknown) => error)
    hangUp()
    const outcome = await call
    await backend.close()
    await ended

    expect(outcome).toBeInstanceOf(ClientGone)
    expect(received).toBe(mostRunning)
  })

  test('after the module was asked: the call is finished', async () => {
    let isGone = false
    let isDispatched = false
    speak = (socket) => {
      isGone = true
      socket.write(counted)
    }
    const client: Client = {
      ...staying,
      isGone: () => isGone,
      dispatched: () => {
        isDispatched = true
      },
    }

    const answer = await withBackend(60_000, (backend) => askModule(backend, request, client))

    expect([answer.status, answer.body, isGone, isDispatched]).toEqual([200, text, true, true])
  })
})
