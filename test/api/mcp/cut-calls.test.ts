import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rounds, seed } from '../../support/extent/extent.ts'
import { expectExactBooks } from '../../support/gateway/books.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { callTool, headersOf, modernMeta, resultOf } from '../../support/mcp/mcp.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

let backend: StubBackend
let gateway: TestGateway
/** Effects of the module by the contact of their call. */
const effects = new Map<string, number>()
beforeAll(async () => {
  backend = await startStubBackend()
  backend.answer(({ body }, res) => {
    const { contact_id } = JSON.parse(body)
    effects.set(contact_id, (effects.get(contact_id) ?? 0) + 1)
    sendBackendJson(res, 200, { contact_id })
  })
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

const name = 'contacts_reveal_contact'

/** Sends a part of a call, reads a part of its answer, and leaves. */
async function cut(key: string, input: object, sent: number, read: number): Promise<void> {
  const params = { name, arguments: input }
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { ...params, _meta: modernMeta },
  }
  const body = JSON.stringify(message)
  const headers = {
    host: 'gateway.example',
    connection: 'close',
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headersOf('tools/call', params),
  }
  const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}`)
  const bytes = Buffer.from(['POST /mcp HTTP/1.1', ...lines, '', body].join('\r\n'))
  const { hostname, port } = new URL(gateway.live.url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  socket.on('error', () => {})
  await once(socket, 'connect')
  const isWhole = sent === 1
  socket.write(isWhole ? bytes : bytes.subarray(0, Math.ceil(bytes.length * sent)))
  if (isWhole && read > 0) {
    let got = 0
    for await (const chunk of socket) {
      got += chunk.length
      if (got >= 2000 * read) break
    }
  }
  socket.destroy()
}

test('calls of tools that are cut off at any byte and repeated have one effect and one charge each', async () => {
  const { liveKey } = await gateway.createAccount({ credits: 100_000 })
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  const numRuns = rounds('MCP_CUTS', { all: 20, nightly: 200 })
  let calls = 0

  await fc.assert(
    fc.asyncProperty(fc.oneof(share, fc.constant(1)), share, async (sent, read) => {
      calls += 1
      const contact = `con_${calls}`
      await cut(liveKey, { contact_id: contact }, sent, read)

      const { isError, structuredContent } = resultOf(
        await callTool(gateway.live, liveKey, name, { contact_id: contact }),
      )

      expect([isError, structuredContent]).toEqual([false, { contact_id: contact }])
      expect(effects.get(contact)).toBe(1)
    }),
    { numRuns, seed, endOnFailure: true },
  )

  const { body } = await gateway.live.get('/v1/account/credits', liveKey)
  expect(body).toMatchObject({ balance: 100_000 - 5 * calls, held: 0 })
  await expectExactBooks(gateway)
})
