import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { createClient, type TestResponse } from '../../../test/support/requests/client.ts'
import type { GatewayReady } from '../support/gateway.ts'

/** What was done beside the load. */
export interface ActivityCounts {
  readonly webhooks: number
  readonly exports: number
  readonly consoleReads: number
  /** Answers 503, which are none of the problems: what was refused was asked for again. */
  readonly refused: number
  /** Answers that were not expected. */
  readonly problems: readonly string[]
}

export interface Activities {
  /** Ends them after the step that each is at. */
  stop(): Promise<ActivityCounts>
}

const consoles = 10
/** The open consoles, which ask as often as the console does. */
const consoleEveryMs = 3500
const consolePaths = [
  '/v1/account/sessions/current',
  '/v1/account/overview',
  '/v1/account/usage/log?limit=50',
  '/v1/account/usage/summary',
]
const keyEveryMs = 1000
const exportEveryMs = 15_000
const lookEveryMs = 500
const maxProblems = 20
/** What `Retry-After` says. */
const retryMs = 1000
const maxTries = 120

const withId = z.object({ id: z.string() })
const job = z.object({ id: z.string(), status: z.string() })

interface ActivitiesOptions extends Pick<GatewayReady, 'baseUrl' | 'accounts'> {
  /** Whether the gateway may answer 503 because of the load beside them. */
  readonly isOverloaded: boolean
}

/**
 * Consoles that are open, keys that are made and revoked, of which a webhook tells each time, and exports of the
 * audit trail.
 */
// oxlint-disable-next-line max-lines-per-function -- its short functions share the counts of one run.
export async function startActivities({
  baseUrl,
  accounts,
  isOverloaded,
}: ActivitiesOptions): Promise<Activities> {
  const client = createClient(baseUrl)
  const problems: string[] = []
  const stopping = new AbortController()
  let [webhooks, exports, consoleReads, refused] = [0, 0, 0, 0]

  const receiver = createServer((request, response) => {
    webhooks += 1
    request.resume().once('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const address = receiver.address()
  if (address === null || typeof address === 'string') throw new Error('It has no port.')
  const hook = `http://127.0.0.1:${address.port}/hook`

  function note(problem: string): void {
    if (problems.length < maxProblems) problems.push(problem)
  }

  function check(what: string, { status, body }: TestResponse, expected: number): boolean {
    if (status === expected) return true
    note(`${what}: ${status} ${JSON.stringify(body)}`)
    return false
  }

  async function untilServed(send: () => Promise<TestResponse>): Promise<TestResponse> {
    for (let tries = 1; ; tries += 1) {
      const answer = await send()
      if (answer.status !== 503 || !isOverloaded || tries === maxTries) return answer
      refused += 1
      await sleep(retryMs)
    }
  }

  async function keepDoing(everyMs: number, step: (turn: number) => Promise<void>): Promise<void> {
    for (let turn = 0; !stopping.signal.aborted; turn += 1) {
      await step(turn).catch((error: unknown) => note(String(error)))
      await sleep(everyMs, null, { signal: stopping.signal }).catch(() => {})
    }
  }

  async function openConsole(index: number): Promise<void> {
    const { liveKey } = accounts[index % accounts.length] ?? { liveKey: '' }
    const signedIn = await untilServed(() => client.post('/v1/oauth/session', {}, liveKey))
    if (!check('sign-in', signedIn, 201)) return
    const cookie = /^[^;]+/.exec(signedIn.headers.get('set-cookie') ?? '')?.[0] ?? ''
    await keepDoing(consoleEveryMs, async () => {
      for (const path of consolePaths) {
        const read = await untilServed(() => client.get(path, undefined, { cookie }))
        if (check(path, read, 200)) consoleReads += 1
      }
    })
  }

  async function makeAndRevokeKey(turn: number): Promise<void> {
    const { liveKey } = accounts[turn % consoles] ?? { liveKey: '' }
    const named = { name: `Soak ${turn}` }
    const made = await untilServed(() => client.post('/v1/account/keys', named, liveKey))
    if (!check('create key', made, 201)) return
    const path = `/v1/account/keys/${withId.parse(made.body).id}`
    const revoke = () => client.request(path, { method: 'DELETE', key: liveKey })
    check('revoke key', await untilServed(revoke), 200)
  }

  async function exportTrail(turn: number): Promise<void> {
    const { liveKey } = accounts[turn % consoles] ?? { liveKey: '' }
    const path = '/v1/account/audit/export'
    const begun = await untilServed(() => client.post(path, {}, liveKey))
    if (!check('export', begun, 202)) return
    const { id } = job.parse(begun.body)
    for (let status = 'queued'; status === 'queued' || status === 'running'; ) {
      await sleep(lookEveryMs)
      const looked = await untilServed(() => client.get(`${path}/${id}`, liveKey))
      if (!check('status of an export', looked, 200)) return
      status = job.parse(looked.body).status
      if (status === 'failed') note('An export failed.')
    }
    exports += 1
  }

  for (const { liveKey } of accounts.slice(0, consoles)) {
    check('endpoint', await client.post('/v1/account/webhooks', { url: hook }, liveKey), 201)
  }
  const all = [
    ...Array.from({ length: consoles }, (_, index) => openConsole(index)),
    keepDoing(keyEveryMs, makeAndRevokeKey),
    keepDoing(exportEveryMs, exportTrail),
  ]
  return {
    async stop() {
      stopping.abort()
      await Promise.all(all)
      receiver.close()
      receiver.closeAllConnections()
      return { webhooks, exports, consoleReads, refused, problems }
    },
  }
}
