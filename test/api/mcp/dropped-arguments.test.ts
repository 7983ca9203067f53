import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts'
import { callTool, resultOf } from '../../support/mcp/mcp.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

let gateway: TestGateway
let backend: StubBackend
beforeAll(async () => {
  backend = await startStubBackend()
  gateway = await startTestGateway({ BACKEND_CONTACT_FINDER_URL: backend.url })
})
afterAll(async () => {
  await gateway.close()
  await backend.close()
})

const { parse } = JSON
afterEach(() => void Object.assign(JSON, { parse }))

/** The arguments of calls that this process parses from now on. A spy would keep them. */
function watchArguments(): WeakRef<object>[] {
  const seen: WeakRef<object>[] = []
  function parseAndWatch(...given: Parameters<typeof parse>): unknown {
    const value = parse(...given)
    const { method, params } = Object(value)
    if (method === 'tools/call') seen.push(new WeakRef(params.arguments))
    return value
  }
  Object.assign(JSON, { parse: parseAndWatch })
  return seen
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

test('POST /mcp: nothing refers to the arguments of a call while its module works', async () => {
  const { liveKey } = await gateway.createAccount({ credits: 100 })
  const kept: (() => void)[] = []
  backend.answer(
    (_, res) => void kept.push(() => sendBackendJson(res, 200, { contact_id: 'con_1' })),
  )
  const seen = watchArguments()
  const input = { contact_id: 'con_1' }
  const call = callTool(gateway.live, liveKey, 'contacts_reveal_contact', input)
  await vi.waitUntil(() => kept.length === 1, patience)
  expect(seen).toHaveLength(1)

  await vi.waitUntil(() => {
    collectGarbage()
    return seen.every((one) => one.deref() === undefined)
  }, patience)

  for (const answer of kept) answer()
  expect(resultOf(await call)._meta).toMatchObject({ credits_charged: 5 })
})
