import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ReceivedRequest,
  sendBackendJson,
  startStubBackend,
} from '../../../test/support/stubs/stub-backend.ts'
import type { Asked } from '../model/history.ts'
import type { Behaviour } from '../plan/plan.ts'
import { nowMs } from './clock.ts'

/** A backend module that does what the plan says for a request text, and remembers what it did. */
export interface PlannedBackend {
  readonly url: string
  readonly asked: () => readonly Asked[]
  close(): Promise<void>
}

/** Every answer is another one, also for a repeated request: so a second effect can be told from a replay. */
export async function startPlannedBackend(
  behaviours: ReadonlyMap<string, Behaviour>,
): Promise<PlannedBackend> {
  const stub = await startStubBackend()
  const asked: Asked[] = []
  const times = new Map<string, number>()

  stub.answer(async (received, res) => {
    const startMs = nowMs()
    const { headers } = received
    const request = requestOf(received)
    const time = times.get(request) ?? 0
    times.set(request, time + 1)
    const behaviour = behaviours.get(request)
    if (!behaviour) throw new Error(`Nobody planned ${received.body}.`)
    const { delayMs, statuses, used, hits } = behaviour
    const place = asked.push({
      requestId: String(headers['x-request-id']),
      accountId: String(headers['gateway-account']),
      request,
      backendKey: headers['idempotency-key']?.toString() ?? null,
      startMs,
      answer: null,
    })
    await sleep(delayMs)
    const status = statuses[time] ?? statuses.at(-1) ?? 200
    if (status === 'break') {
      res.destroy()
      return
    }
    const isSearch = received.path.endsWith('/search')
    const items = Array.from({ length: hits }, (_, hit) => ({ hit }))
    const body = { effect: place, ...(isSearch ? { items } : {}) }
    const [known] = asked.slice(place - 1, place)
    const answer = { atMs: nowMs(), status, used: used ?? hits, body: JSON.stringify(body) }
    if (known) asked[place - 1] = { ...known, answer }
    sendBackendJson(res, status, body, used === null ? {} : { 'X-Credits-Used': String(used) })
  })
  return { url: stub.url, asked: () => asked, close: () => stub.close() }
}

function requestOf({ body }: ReceivedRequest): string {
  const { contact_id: contactId, query } = JSON.parse(body)
  return String(contactId ?? query)
}
