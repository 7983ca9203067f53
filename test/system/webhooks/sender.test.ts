import { createServer as createTlsServer } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { newWebhookSecret } from '../../../subgraphs/account/webhooks/sender/webhook-secret.ts'
import {
  listen,
  local,
  messageTo,
  startReceiver,
  startSender,
  startTcpReceiver,
} from '../../support/stubs/receivers.ts'
import { selfSigned } from '../../support/stubs/self-signed.ts'
import { patience } from '../../support/time/patience.ts'

const delivered = { status: 200, failure: null, retryAfterSeconds: null }

describe('a delivery', () => {
  test('is a POST of the unchanged body, with the headers of Standard Webhooks', async () => {
    const receiver = await startReceiver((res) => res.end())
    const now = new Date('2026-05-04T03:02:01.900Z')
    const sender = startSender({ ...local, now: () => now })
    const secret = newWebhookSecret()
    const body = '{"id":"evt_1", "data":{"name":"Zoë"}}'

    const outcome = await sender.send(
      messageTo(`${receiver.url}?a=1#b`, { secrets: [secret], body }),
    )

    const headers = {
      host: new URL(receiver.url).host,
      connection: 'close',
      'content-length': String(Buffer.byteLength(body)),
      'content-type': 'application/json',
      'user-agent': 'credit-gateway-webhooks/1',
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Date.parse('2026-05-04T03:02:01Z') / 1000),
    }
    const signature = new Webhook(secret).sign('evt_1', now, body)
    expect(outcome).toEqual({
      ...{ ...delivered, latencyMs: expect.any(Number) },
      ...{ requestHeaders: headers, responseText: null },
    })
    expect(receiver.deliveries).toEqual([
      {
        ...{ path: 'POST /hooks?a=1', body },
        headers: { ...headers, 'webhook-signature': signature },
      },
    ])
  })

  test('can be verified with either secret while two are valid, and with no other', async () => {
    const receiver = await startReceiver((res) => res.end())
    const sender = startSender(local)
    const secrets = [newWebhookSecret(), newWebhookSecret()]

    await sender.send(messageTo(receiver.url, { secrets }))

    const headers = Object(receiver.deliveries[0]?.headers)
    const sent = receiver.deliveries[0]?.body ?? ''
    const verify = (secret: string, body = sent) => new Webhook(secret).verify(body, headers)
    for (const secret of secrets) expect(verify(secret)).toEqual(JSON.parse(sent))
    expect(headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/)
    expect(() => verify(newWebhookSecret())).toThrow(WebhookVerificationError)
    expect(() => verify(secrets[0] ?? '', `${sent} `)).toThrow(WebhookVerificationError)
  })

  test('has the same id and a fresh timestamp on every attempt', async () => {
    const receiver = await startReceiver((res) => res.writeHead(500).end())
    let seconds = 1_800_000_000
    const sender = startSender({ ...local, now: () => new Date(seconds * 1000) })
    const message = messageTo(receiver.url)

    await sender.send(message)
    seconds += 3600
    await sender.send(message)

    const sent = receiver.deliveries.map(({ headers }) => headers)
    expect(sent.map((headers) => headers['webhook-id'])).toEqual(['evt_1', 'evt_1'])
    expect(sent.map((headers) => headers['webhook-timestamp'])).toEqual([
      '1800000000',
      '1800003600',
    ])
    expect(sent[0]?.['webhook-signature']).not.toBe(sent[1]?.['webhook-signature'])
  })

  test('uses secrets of 192 random bits', () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret)

    expect(new Set(secrets).size).toBe(100)
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(24)
    }
  })

  test('resolves localhost to 127.0.0.1 or ::1 without a resolver', async () => {
    const receiver = await startReceiver((res) => res.end())
    const sender = startSender({ ...local, lookup: (_n, _o, done) => done(new Error('asked'), '') })

    const outcome = await sender.send(messageTo(receiver.url.replace('127.0.0.1', 'localhost')))

    expect(outcome).toMatchObject(delivered)
  })

  test('that cannot be signed or sent throws, and has no outcome', async () => {
    const receiver = await startReceiver((res) => res.end())
    const sender = startSender(local)

    await expect(sender.send(messageTo(receiver.url, { secrets: [] }))).rejects.toThrow()
    await expect(sender.send(messageTo(receiver.url, { secrets: ['whsec_?'] }))).rejects.toThrow()
    await expect(sender.send(messageTo(receiver.url, { id: 'a\r\nb: c' }))).rejects.toThrow()

    expect(receiver.deliveries).toEqual([])
  })
})

describe('the answer of a receiver', () => {
  test.each([200, 201, 202, 204, 299])('with status %i succeeded', async (status) => {
    const receiver = await startReceiver((res) => res.writeHead(status).end())

    const outcome = await startSender(local).send(messageTo(receiver.url))

    expect(outcome).toMatchObject({ status, failure: null, retryAfterSeconds: null })
  })

  test.each([300, 400, 401, 404, 410, 429, 500, 503])('with status %i failed', async (status) => {
    const receiver = await startReceiver((res) => res.writeHead(status).end('<secret>'))

    const outcome = await startSender(local).send(messageTo(receiver.url))

    expect(outcome).toEqual({
      status,
      failure: `http ${status}`,
      retryAfterSeconds: null,
      latencyMs: expect.any(Number),
      requestHeaders: expect.objectContaining({ host: new URL(receiver.url).host }),
      // A receiver on loopback: its words stay unread.
      responseText: null,
    })
  })

  test.each([
    ['120', 120],
    ['0', 0],
    ['86401', 86_400],
    ['99999999999999999999999', 86_400],
    ['Mon, 04 May 2026 03:03:01 GMT', 60],
    ['Mon, 04 May 2026 03:01:01 GMT', 0],
    ['Sun, 04 May 2036 03:02:01 GMT', 86_400],
    ['-1', null],
    ['1.5', null],
    ['1e3', null],
    ['soon', null],
    ['2026-05-04', null],
    ['Mon, 99 Foo 2026 03:03:01 GMT', null],
    ['', null],
  ])('with Retry-After: %s asks for %s seconds', async (header, seconds) => {
    const receiver = await startReceiver((res) => {
      res.writeHead(503, { 'retry-after': header }).end()
    })
    const sender = startSender({ ...local, now: () => new Date('2026-05-04T03:02:01Z') })

    const outcome = await sender.send(messageTo(receiver.url))

    expect(outcome).toMatchObject({ status: 503, retryAfterSeconds: seconds })
  })

  test.each([200, 500])('with an endless body is cut; the status %i counts', async (status) => {
    const receiver = await startReceiver((res) => {
      res.writeHead(status)
      const write = () => res.write('x'.repeat(65_536))
      res.on('drain', write)
      write()
    })

    const outcome = await startSender(local).send(messageTo(receiver.url))

    expect(outcome.status).toBe(status)
  })

  test('of 40 MB is read up to little more than 64 KiB', async () => {
    let isWhole: boolean | null = null
    const receiver = await startReceiver((res) => {
      res.on('close', () => {
        isWhole = res.writableFinished
      })
      // More than the buffers between two sockets of this machine can hold.
      res.end(Buffer.alloc(40 * 1024 * 1024))
    })

    const outcome = await startSender(local).send(messageTo(receiver.url))

    expect(outcome).toMatchObject(delivered)
    await expect.poll(() => isWhole, patience).toBe(false)
  })

  test.each([
    ['its own time', 60_000],
    ['all of the time', 1500],
  ])(
    'with a body that drips is cut when %s is over, and the status counts',
    async (_what, timeoutMs) => {
      const receiver = await startReceiver((res) => {
        res.writeHead(200)
        const drip = setInterval(() => res.write('.'), 20)
        res.on('close', () => clearInterval(drip))
      })

      // No status comes where all of the time is over before the headers.
      const outcome = await vi.waitUntil(async () => {
        const one = await startSender({ ...local, timeoutMs }).send(messageTo(receiver.url))
        return one.status !== null && one
      }, patience)

      expect(outcome).toMatchObject(delivered)
      expect(outcome.latencyMs).toBeLessThan(55_000)
    },
  )

  test('with an interrupted body counts by its status', async () => {
    const url = await startTcpReceiver((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () =>
          socket.resetAndDestroy(),
        )
      })
    })

    expect((await startSender(local).send(messageTo(url))).status).toBe(200)
  })

  test('is neither requested nor unpacked in compressed form', async () => {
    const receiver = await startReceiver((res) => {
      res.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')
    })

    expect(await startSender(local).send(messageTo(receiver.url))).toMatchObject(delivered)
    expect(receiver.deliveries[0]?.headers['accept-encoding']).toBeUndefined()
  })
})

describe('a receiver without an answer', () => {
  test.each([
    ['that never speaks', ''],
    ['that stops within the headers', 'HTTP/1.1 200 OK\r\nX-Slow: '],
    ['that has nothing but more to come', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('%s is a timeout', async (_what, words) => {
    // Words that come before the request are an error, not an answer.
    const url = await startTcpReceiver((socket) => {
      socket.once('data', () => socket.write(words))
    })

    const outcome = await startSender({ ...local, timeoutMs: 400 }).send(messageTo(url))

    expect(outcome).toMatchObject({ status: null, failure: 'timeout', retryAfterSeconds: null })
    // A timer counts from the beginning of a turn of the event loop, which may have been long.
    expect(outcome.latencyMs).toBeGreaterThanOrEqual(200)
  })

  test('that reads nothing of a large message is a timeout', async () => {
    const url = await startTcpReceiver((socket) => socket.pause())
    const body = JSON.stringify('x'.repeat(12_000_000))
    const sender = startSender({ ...local, timeoutMs: 800 })

    expect(await sender.send(messageTo(url, { body }))).toMatchObject({ failure: 'timeout' })
  })

  test('that drips headers does not prolong the time', async () => {
    const url = await startTcpReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const drip = setInterval(() => socket.write('X-More: 1\r\n'), 20)
      socket.on('close', () => clearInterval(drip))
    })

    const outcome = await startSender({ ...local, timeoutMs: 400 }).send(messageTo(url))

    expect(outcome).toMatchObject({ status: null, failure: 'timeout' })
  })

  test('that resets the connection is reported so, at once or after the request', async () => {
    const atOnce = await startTcpReceiver((socket) => socket.resetAndDestroy())
    const later = await startTcpReceiver((socket) => {
      socket.once('data', () => socket.resetAndDestroy())
    })
    const politely = await startTcpReceiver((socket) => socket.once('data', () => socket.end()))
    const sender = startSender(local)

    for (const url of [atOnce, later, politely]) {
      const reset = { status: null, failure: 'connection reset', retryAfterSeconds: null }
      expect(await sender.send(messageTo(url))).toMatchObject(reset)
    }
  })

  test('that does not listen refuses the connection', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`

    const outcome = await startSender(local).send(messageTo(url))

    expect(outcome).toMatchObject({ status: null, failure: 'connection refused' })
  })

  test.each([
    ['what is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['too many headers', `HTTP/1.1 200 OK\r\nX-Large: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
  ])('that answers %s is refused', async (_what, words) => {
    const url = await startTcpReceiver((socket) => socket.once('data', () => socket.write(words)))

    const outcome = await startSender(local).send(messageTo(url))

    expect(outcome).toMatchObject({ status: null, failure: 'invalid response' })
  })

  test('with another protocol is a failure', async () => {
    const url = await startTcpReceiver((socket) => {
      socket.once('data', () => {
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
        )
      })
    })

    const outcome = await startSender({ ...local, timeoutMs: 5000 }).send(messageTo(url))

    expect(outcome).toMatchObject({ status: null, failure: 'connection reset' })
  })

  test.each([
    ['ENOTFOUND', 'host not found'],
    ['ENODATA', 'host not found'],
    ['ESERVFAIL', 'host not resolved'],
    ['ECONNREFUSED', 'host not resolved'],
  ])('with a name that resolves to %s: %s', async (code, failure) => {
    const sender = startSender({
      lookup: (_name, _options, done) => done(Object.assign(new Error(code), { code }), ''),
    })

    const outcome = await sender.send(messageTo('https://nobody.example/'))

    expect(outcome).toMatchObject({ status: null, failure })
  })

  test('with a name without address, or a resolver that never answers, is a failure', async () => {
    const empty = startSender({ lookup: (_name, _options, done) => done(null, []) })
    const silent = startSender({ timeoutMs: 200, lookup: () => {} })
    const message = messageTo('https://nobody.example/')

    expect(await empty.send(message)).toMatchObject({ status: null, failure: 'host not found' })
    expect(await silent.send(message)).toMatchObject({ status: null, failure: 'timeout' })
  })
})

describe('simultaneous receivers', () => {
  test('are not delayed by fifty that hang, and closing ends them all', async () => {
    const hung = await startTcpReceiver(() => {})
    const healthy = await startReceiver((res) => res.end())
    const sender = startSender(local)
    let ended = 0
    const hanging = Array.from({ length: 50 }, async (_, index) => {
      const outcome = await sender.send(messageTo(`${hung}/${index}`))
      ended += 1
      return outcome
    })

    for (let count = 0; count < 20; count += 1) {
      expect(await sender.send(messageTo(healthy.url))).toMatchObject(delivered)
    }
    expect(ended).toBe(0)

    await sender.close()
    const outcomes = await Promise.all(hanging)
    const stopped = { status: null, failure: 'stopped', retryAfterSeconds: null }
    expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining(stopped)))
    expect(await sender.send(messageTo(healthy.url))).toMatchObject(stopped)
    expect(healthy.deliveries).toHaveLength(20)
  })

  test('of one URL have eight attempts at a time; more are reported at once', async () => {
    const hung = await startTcpReceiver(() => {})
    const sender = startSender(local)
    const hanging = Array.from({ length: 8 }, () => sender.send(messageTo(hung)))

    const outcome = await sender.send(messageTo(hung))

    expect(outcome).toMatchObject({ status: null, failure: 'too many at once', latencyMs: 0 })
    await sender.close()
    expect(await Promise.all(hanging)).toHaveLength(8)
  })

  test('of a URL that two accounts use take no places from each other', async () => {
    const hung = await startTcpReceiver(() => {})
    const sender = startSender(local)
    const theirs = messageTo(hung, { key: 'whe_theirs' })
    const hanging = Array.from({ length: 8 }, () => sender.send(theirs))

    const mine = sender.send(messageTo(hung, { key: 'whe_mine' }))

    expect(await sender.send(theirs)).toMatchObject({ failure: 'too many at once' })
    await sender.close()
    for (const outcome of await Promise.all([mine, ...hanging])) {
      expect(outcome).toMatchObject({ failure: 'stopped' })
    }
  })

  test("are cancelled one by one by the caller's signal", async () => {
    const hung = await startTcpReceiver(() => {})
    const sender = startSender(local)
    const stop = new AbortController()
    const mine = sender.send(messageTo(`${hung}/mine`), stop.signal)
    let isOtherEnded = false
    const other = sender.send(messageTo(`${hung}/other`)).finally(() => {
      isOtherEnded = true
    })

    stop.abort()

    expect(await mine).toMatchObject({ status: null, failure: 'stopped' })
    expect(isOtherEnded).toBe(false)
    await sender.close()
    expect(await other).toMatchObject({ failure: 'stopped' })
  })

  test('have one connection for each delivery, which is closed afterwards', async () => {
    let opened = 0
    let open = 0
    const url = await startTcpReceiver((socket) => {
      opened += 1
      open += 1
      socket.once('close', () => {
        open -= 1
      })
      // Offers to be used again, and does not close.
      socket.on('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n')
      })
    })
    const sender = startSender(local)

    for (let count = 0; count < 3; count += 1) {
      expect(await sender.send(messageTo(url))).toMatchObject(delivered)
    }

    expect(opened).toBe(3)
    await expect.poll(() => open, patience).toBe(0)
  })
})

describe('TLS', () => {
  test('refuses an untrusted certificate, and sends nothing', async () => {
    const receiver = await startTlsReceiver('localhost')

    const outcome = await startSender(local).send(messageTo(receiver.url))

    expect(outcome).toMatchObject({
      status: null,
      failure: 'tls failure: DEPTH_ZERO_SELF_SIGNED_CERT',
    })
    expect(receiver.servernames).toEqual([])
  })

  test('accepts a trusted certificate for the host of the URL, and for no other', async () => {
    const mine = await startTlsReceiver('localhost')
    const anothers = await startTlsReceiver('receiver.example')
    const trusted = getCACertificates('default')
    onTestFinished(() => setDefaultCACertificates(trusted))
    setDefaultCACertificates([...trusted, mine.certificate, anothers.certificate])
    const sender = startSender(local)

    expect(await sender.send(messageTo(mine.url))).toMatchObject(delivered)
    expect(mine.servernames).toEqual(['localhost'])
    for (const url of [anothers.url, mine.url.replace('localhost', '127.0.0.1')]) {
      const failure = 'tls failure: ERR_TLS_CERT_ALTNAME_INVALID'
      expect(await sender.send(messageTo(url))).toMatchObject({ status: null, failure })
    }
    expect(anothers.servernames).toEqual([])
  })

  test('counts a receiver without TLS as a failure, and a silent one as a timeout', async () => {
    const plain = await startReceiver((res) => res.end())
    const silent = await startTcpReceiver(() => {})
    const toPlain = messageTo(plain.url.replace('http:', 'https:'))
    const toSilent = messageTo(silent.replace('http:', 'https:'))

    const outcome = await startSender(local).send(toPlain)

    expect(outcome.status).toBeNull()
    expect(outcome.failure).toMatch(/^tls failure: ERR_SSL_/)
    const hurried = startSender({ ...local, timeoutMs: 300 })
    expect(await hurried.send(toSilent)).toMatchObject({ status: null, failure: 'timeout' })
  })
})

interface TlsReceiver {
  readonly url: string
  readonly certificate: string
  /** The names that the senders of requests asked for. */
  readonly servernames: readonly string[]
}

/** On 127.0.0.1, called localhost, with a certificate of its own making for the name. */
async function startTlsReceiver(name: string): Promise<TlsReceiver> {
  const { key, cert } = await selfSigned(name)
  const servernames: string[] = []
  const server = createTlsServer({ key, cert }, (req, res) => {
    servernames.push(String(Object(req.socket).servername))
    res.end()
  })
  // The clients of this server break off, because the tests are about that.
  server.on('tlsClientError', () => {})
  const port = await listen(server, '127.0.0.1')
  return { url: `https://localhost:${port}/hooks`, certificate: cert, servernames }
}
