import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Environment, serviceCaller } from '../../../schema/credentials/caller.ts'
import { openTestGraph, type TestGraph } from '../../support/database/graph.ts'

let graph: TestGraph
beforeAll(async () => {
  graph = await openTestGraph()
})
afterAll(() => graph.close())

async function openAccount(tier: string) {
  const input = { name: 'Test', email: 'test@example.com', tier, credits: 1 }
  const { account, ...keys } = Object(await graph.asAdmin('CreateAccount', { input }))
  return { id: account.id, ...keys }
}

function verify(key: string, environment: Environment) {
  const secretHash = hash('sha256', key, 'hex')
  return graph.as('VerifyApiKey', { secretHash }, serviceCaller({ environment }))
}

test('keys that are looked up at once each have their own account, whatever their order and environment', async () => {
  const [small, large] = [await openAccount('STARTER'), await openAccount('SCALE')]
  const asked = [
    [small.liveKey, 'live'],
    [small.sandboxKey, 'sandbox'],
    ['unknown', 'live'],
    [large.liveKey, 'live'],
    [small.sandboxKey, 'live'],
    [small.liveKey, 'live'],
    [large.sandboxKey, 'sandbox'],
  ] as const
  const alone = []
  for (const [key, environment] of asked) alone.push(await verify(key, environment))

  const together = await Promise.all(asked.map(([key, environment]) => verify(key, environment)))

  expect(together).toEqual(alone)
  expect(together.map((found) => Object(found).account?.id)).toEqual([
    ...[small.id, small.id, undefined, large.id, undefined, small.id, large.id],
  ])
  const limits = together.map((found) => Object(found).account?.rateLimitRps)
  expect(limits[0]).toBe(limits[1])
  expect(limits[3]).toBeGreaterThan(limits[0])
})
