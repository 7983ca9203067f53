import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { compileProgram } from '../../support/processes/program.ts'
import {
  openWorkplace,
  type StartedGateway,
  type Workplace,
} from '../../support/processes/workplace.ts'
import { createClient } from '../../support/requests/client.ts'
import { patience } from '../../support/time/patience.ts'

describe('gateway ledger verify', () => {
  let place: Workplace
  let gateway: StartedGateway
  beforeAll(async () => {
    await compileProgram()
    place = openWorkplace()
    gateway = await place.start()
  })
  afterAll(() => place.close())

  test('names a charge that is missing in the usage log, once it cannot be under way any more', async () => {
    const { account_id, live_key } = place.demo()
    const client = createClient(gateway.baseUrl)
    const { headers } = await client.post('/v1/contacts/reveal', { contact_id: 'con_1' }, live_key)
    const requestId = headers.get('x-request-id')
    const remove = () =>
      place.query('DELETE FROM usage.usage_log WHERE request_id = $1 RETURNING credits', [
        requestId,
      ])
    const verify = (...more: string[]) => place.run(['ledger', 'verify', '--json', ...more])
    const atOnce = ['--settling-time', '0s']
    // The log follows a moment after the answer.
    await vi.waitUntil(
      async () => (await client.get('/v1/account/usage/log', live_key)).status === 200,
      patience,
    )
    const whole = await verify(...atOnce)
    expect(await remove()).toHaveLength(1)

    const settling = await verify('--settling-time', '1h')
    // While it runs, what it charged within the last half minute may be on its way.
    gateway.signal('SIGTERM')
    await gateway.finished
    const missing = await verify(...atOnce)

    expect([whole.code, settling.code, missing.code]).toEqual([0, 0, 1])
    const { drifts } = JSON.parse(missing.stdout)
    expect(drifts).toEqual([
      {
        account_id,
        request_id: requestId,
        environment: 'live',
        charged: 5,
        logged: 0,
        problem: '5 credits were charged, the usage log says 0',
      },
    ])
    expect(await place.run(['ledger', 'verify', ...atOnce])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`request_id: ${requestId}\n`),
    })
  })
})
