import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { migrateAll } from '../../../gateway/launch/databases/migrations.ts'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { openGraph } from '../../../gateway/launch/supergraph/graph.ts'
import { startEmbeddedPostgres } from '../../../gateway/trial/embedded-postgres/embedded-postgres.ts'
import { createUsageRecorder } from '../../../rest-facade/charge/usage-log/usage-recorder.ts'
import type { Call } from '../../../rest-facade/http/call.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Served } from '../support/child.ts'
import { graphOptions } from './graph-options.ts'

const options = z.object({ accounts: z.int() })
const question = z.object({ seconds: z.number() })

/** The entries of two full batches: one is under way, and the next one never waits for company. */
const most = 4000
/** Answers come all the time; entries are added in lumps of so many milliseconds. */
const lumpMs = 5
/** Latencies of 5 to 24 ms. */
const latencies = 20

/** P4: records calls as a gateway does that answers more of them than the log takes. */
export async function serve(given: unknown): Promise<Served> {
  const { accounts } = options.parse(given)
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  const postgres = await startEmbeddedPostgres(folder)
  await migrateAll(postgres.ownerUrl)
  const graph = await openGraph({ ...graphOptions, serviceUrl: postgres.serviceUrl })
  for (const operation of graph.operations) await graph.warmUp(operation)
  const recorder = createUsageRecorder(graph.execute, createLog({ level: 'warn', format: 'json' }))
  const callers = Array.from({ length: accounts }, () => ({
    accountId: newId('acct'),
    keyId: newId('key'),
  }))
  const batched = () => recorder.batched?.() ?? { batches: 0, items: 0 }
  let made = 0

  function recordNext(): void {
    const caller = callers[made % callers.length]
    if (!caller) throw new Error('There is no account.')
    recorder.record(answeredCall(caller, 5 + (made % latencies)), 200)
    made += 1
  }

  return {
    ready: null,
    async answer(asked) {
      const { seconds } = question.parse(asked)
      const before = { made, ...batched() }
      const startedAtMs = performance.now()
      while (performance.now() - startedAtMs < seconds * 1000) {
        while (recorder.waiting() < most) recordNext()
        await sleep(lumpMs)
      }
      await recorder.recorded()
      await recorder.endEpoch()
      const tookSeconds = (performance.now() - startedAtMs) / 1000
      const { batches, items } = batched()
      return {
        perSecond: (made - before.made) / tookSeconds,
        batchSize: (items - before.items) / (batches - before.batches),
      }
    },
    async stop() {
      await graph.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function answeredCall(
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  latencyMs: number,
): Call {
  const arrivedAt = new Date()
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const requestId = newId('req', arrivedAt.getTime())
  const environment = 'live'
  return {
    ...{ requestId, traceId, environment, arrivedAt, arrivedAtMs: performance.now() - latencyMs },
    ...{ method: 'POST', endpoint: '/v1/contacts/reveal', route: '/v1/contacts/reveal' },
    ...{ service: 'contacts', backendModule: 'contact-finder', address: '', endUser: null },
    caller: {
      ...{ kind: 'account', accountId, keyId, scopes: ['*'] },
      ...{ environment, requestId, traceId, address: null },
    },
    ...{ client: null, clientChallenge: '', form: null, credential: '', credentialId: '' },
    ...{ corsHeaders: {}, routeHeaders: {}, budgetOwners: [], noticesBefore: 0 },
    ...{ rateLimitRps: 1, rateWindow: null, limiter: 'account' },
    ...{ isDispatched: true, toolStatus: null, whenAnswered: null, releaseRoom: null, spent: null },
    ...{ creditsCharged: 5, failure: null, settling: null },
  }
}
