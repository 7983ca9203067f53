import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'

const line = z.object({ level: z.number(), time: z.iso.datetime(), msg: z.string() }).loose()
const levels = { debug: 20, warn: 40 }

/** A log as the program writes it, kept here. */
function openLog() {
  const written: string[] = []
  const into = { write: (text: string) => void written.push(text) }
  return { written, log: createLog({ level: 'debug', format: 'json', into }) }
}

let backend: StubBackend
let gateway: TestGateway
const { written, log } = openLog()
beforeAll(async () => {
  backend = await startStubBackend()
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url }, { log })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

/** The log lines of a request, each parsed as JSON. */
function linesOf(response: { readonly headers: Headers }) {
  const requestId = response.headers.get('x-request-id')
  return written
    .map((text) => line.parse(JSON.parse(text)))
    .filter((one) => one.requestId === requestId)
}

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

describe('the log', () => {
  test('of a 502 names the account, the place and the cause; the caller is not told the cause', async () => {
    const { id, liveKey } = await gateway.createAccount()
    backend.answer((_, res) => sendBackendJson(res, 500, {}))

    const response = await gateway.live.post(
      '/v1/contacts/reveal',
      { contact_id: 'con_5f1e0c7a9b3d2e48' },
      liveKey,
      { traceparent },
    )

    expect(response.status).toBe(502)
    const [failure, answered] = linesOf(response)
    const seen = { traceId, accountId: id, method: 'POST', route: '/v1/contacts/reveal' }
    expect(failure).toMatchObject({ ...seen, level: levels.warn, code: 'BACKEND_ERROR' })
    expect(Object(failure?.err).message).toBe('contact-finder answered with status 500')
    expect(answered).toMatchObject({ ...seen, level: levels.debug, status: 502 })
    expect(JSON.stringify(response.body)).not.toContain('status 500')
  })

  test('of an answered request, and of a refusal without an internal text, has one line, below info', async () => {
    const { id, liveKey } = await gateway.createAccount()

    const answered = await gateway.live.get('/v1/account/credits', liveKey)
    const missing = await gateway.live.get(`/v1/account/keys/${newId('key')}`, liveKey)
    const stranger = await gateway.live.get('/v1/account/credits')

    expect(linesOf(answered)).toMatchObject([
      { level: levels.debug, status: 200, accountId: id, route: '/v1/account/credits' },
    ])
    expect(linesOf(missing)).toMatchObject([
      { level: levels.debug, status: 404, accountId: id, route: '/v1/account/keys/{key_id}' },
    ])
    expect(linesOf(stranger)).toMatchObject([{ level: levels.debug, status: 401 }])
    expect(linesOf(stranger)[0]).not.toHaveProperty('accountId')
  })

  test('has one line for each event, whatever text the event contains', () => {
    const { written: own, log: ownLog } = openLog()
    const text = 'one\r\n{"level":60}\n\u001b[2J\u0007 two\u2028three'

    ownLog.warn({ err: new Error(text), text }, text)

    const [event = ''] = own
    expect(own).toHaveLength(1)
    expect(JSON.parse(event)).toMatchObject({ msg: text, text, err: { message: text } })
    expect(event.trimEnd()).not.toMatch(/\p{Cc}/u)
  })
})
