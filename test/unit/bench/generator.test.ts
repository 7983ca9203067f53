import { createServer, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { statusOf } from '../../../proof/bench/generator/answer.ts'
import { drive } from '../../../proof/bench/generator/drive.ts'
import { loadSchema } from '../../../proof/bench/support/load.ts'

describe('statusOf', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}', 200],
    ['HTTP/1.1 402 Payment Required\r\ncontent-length: 0\r\nx: y\r\n\r\n', 402],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n', 200],
    ['HTTP/1.1 204 No Content\r\n\r\n', 204],
  ])('is null for each beginning of %j, and then its status', (answer, status) => {
    const bytes = Buffer.from(answer)
    const beginnings = Array.from(bytes, (_, length) => statusOf(bytes.subarray(0, length)))
    expect(beginnings).toEqual(beginnings.map(() => null))
    expect(statusOf(bytes)).toBe(status)
  })
})

describe('drive', () => {
  it('sends each connection through the rotation, every request with a key of its own', async () => {
    const { url, requests, close } = await startServer()
    const result = await drive(
      loadSchema.parse({
        ...{ url, method: 'POST', path: '/x', body: '{"a":"é"}', hasFreshKeys: true },
        ...{
          headerSets: [{ 'x-number': '0' }, { 'x-number': '1' }],
          connections: 2,
          seconds: 0.05,
        },
      }),
    )
    await close()
    const keys = new Set(requests.map(({ headers }) => headers['idempotency-key']))
    expect(keys.size).toBe(requests.length)
    expect(new Set(requests.map(({ headers }) => headers['x-number']))).toEqual(new Set(['0', '1']))
    expect(new Set(requests.map(({ body }) => body))).toEqual(new Set(['{"a":"é"}']))
    expect(result).toMatchObject({ errors: 0, countByStatus: { 200: requests.length } })
  })

  it('puts the key into a body that has a place for it, and no other header', async () => {
    const { url, requests, close } = await startServer()
    await drive(
      loadSchema.parse({
        ...{ url, method: 'POST', path: '/x', body: '{"é":"con_{key}"}', hasFreshKeys: true },
        ...{ headerSets: [{}], connections: 2, seconds: 0.05 },
      }),
    )
    await close()
    const bodies = new Set(requests.map(({ body }) => body))
    expect(bodies.size).toBe(requests.length)
    for (const body of bodies) expect(body).toMatch(/^\{"é":"con_[0-9a-f-]{24}[0-9]{12}"\}$/)
    expect(requests.filter(({ headers }) => 'idempotency-key' in headers)).toEqual([])
  })

  it('sends an open load at its rate and counts connections that break as errors', async () => {
    const { url, requests, close } = await startServer({ isBroken: true })
    const result = await drive(
      loadSchema.parse({
        ...{ url, method: 'GET', path: '/x', headerSets: [{}], connections: 4 },
        ...{ seconds: 0.2, perSecond: 100 },
      }),
    )
    await close()
    expect(result).toMatchObject({ errors: requests.length, countByStatus: {} })
    expect(requests.length).toBeLessThanOrEqual(20)
  })

  it.each([
    ['answers', false],
    ['broken connections', true],
  ])('sends a lead first, whose %s it does not count', async (_what, isBroken) => {
    const { url, requests, close } = await startServer({ isBroken })
    const load = { method: 'GET', path: '/x', headerSets: [{}], connections: 4, perSecond: 100 }
    const result = await drive(loadSchema.parse({ url, ...load, leadSeconds: 0.2, seconds: 0 }))
    await close()
    expect(requests.length).toBeGreaterThan(0)
    expect(result).toMatchObject({ errors: 0, countByStatus: {} })
  })
})

interface Seen {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

async function startServer({ isBroken = false } = {}) {
  const requests: Seen[] = []
  const server = createServer(async (req, res) => {
    const body = (await req.toArray()).join('')
    requests.push({ headers: req.headers, body })
    if (isBroken) res.destroy()
    else res.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : null
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.closeAllConnections()
      await server[Symbol.asyncDispose]()
    },
  }
}
