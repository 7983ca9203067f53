import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createBackend } from '../../../rest-facade/backends/backend-client.ts'
import { ClientGone } from '../../../rest-facade/http/errors.ts'
import { askModule, type Client, staying, uncounted } from '../../support/stubs/ask-module.ts'
import {
  type StubBackend,
  sendBackendJson,
  startStubBackend,
} from '../../support/stubs/stub-backend.ts'
import { patience } from '../../support/time/patience.ts'

const request = {
  method: 'POST',
  path: '/reveal',
  headers: [],
  callerHeaders: () => [],
  body: null,
  isRepeatable: false,
} as const

/** How many calls of one account run at once. */
const mostRunning = 32

let stub: StubBackend
beforeAll(async () => {
  stub = await startStubBackend()
})
afterAll(() => stub.close())

test('a client that left before its call reached the queue takes no place in it', async () => {
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>()
  stub.answer(async (_, res) => {
    await mayAnswer
    sendBackendJson(res, 200, {})
  })
  const backend = createBackend({
    module: 'contact-finder',
    url: stub.url,
    timeoutMs: 60_000,
    isSimulated: false,
    counts: uncounted,
  })
  // A client that left earlier is told only of what happens from now on.
  const left: Client = { ...staying, isGone: () => true }
  const running = Array.from({ length: mostRunning }, () => askModule(backend, request))
  await vi.waitUntil(() => stub.received.length === mostRunning, patience)
  let isAnswered = false

  const refusal = askModule(backend, request, left).catch((error: unknown) => error)
  void refusal.then(() => {
    isAnswered = true
  })
  // All places are taken still.
  await vi.waitUntil(() => isAnswered, { timeout: 20_000, interval: 5 })
  letAnswer()
  const answers = await Promise.all(running)
  await backend.close()

  expect(await refusal).toBeInstanceOf(ClientGone)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(stub.received).toHaveLength(mostRunning)
})
