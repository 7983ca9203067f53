import { createServer, type IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { runWrk, whyNoWrk } from '../../../proof/bench/generator/wrk.ts'

describe.skipIf(whyNoWrk() !== null)('runWrk', () => {
  test('sends the rotation, every request with a key of its own, and counts the statuses', async () => {
    const heads: IncomingHttpHeaders[] = []
    const bodies = new Set<string>()
    const server = createServer(async (req, res) => {
      heads.push(req.headers)
      bodies.add(Buffer.concat(await req.toArray()).toString())
      res.writeHead(req.headers['x-number'] === '0' ? 200 : 402).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const result = await runWrk({
      ...{ url: `http://127.0.0.1:${port}`, method: 'POST', path: '/x', body: '{"a":"é"}' },
      ...{ headerSets: [{ 'x-number': '0' }, { 'x-number': '1' }], hasFreshKeys: true },
      ...{ connections: 2, seconds: 1 },
    })
    server.close()
    server.closeAllConnections()

    const keys = heads.map((head) => String(head['idempotency-key']))
    expect(keys.filter((key) => !/^[0-9a-f-]{24}[0-9]{12}$/.test(key))).toEqual([])
    expect(new Set(keys).size).toBe(keys.length)
    expect(bodies).toEqual(new Set(['{"a":"é"}']))
    const { 200: ok = 0, 402: refused = 0, ...others } = result.countByStatus
    expect(others).toEqual({})
    expect(result.errors).toBe(0)
    // The counts of the last answers, for which wrk does not wait, may be missing.
    expect(Math.abs(ok - refused)).toBeLessThanOrEqual(2)
    expect(heads.length - ok - refused).toBeLessThanOrEqual(2)
  })
})
