import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  dumpDatabase,
  fingerprintDatabase,
  requestTraces,
  restingVariables,
} from '../../support/database/database-dump.ts'
import { chosen } from '../../support/extent/extent.ts'
import { expectError } from '../../support/gateway/error-envelope.ts'
import {
  startTestGateway,
  type TestAccount,
  type TestGateway,
} from '../../support/gateway/gateway.ts'
import { newIds, plantOfParam } from '../../support/gateway/plants.ts'
import { admitted } from '../../support/requests/admitted.ts'
import type { TestResponse } from '../../support/requests/client.ts'
import {
  pathWith,
  productRequests,
  routeRequests,
  type ValidRequest,
} from '../../support/requests/valid-requests.ts'

let gateway: TestGateway
/** An account that requests name only by its id. */
let victim: TestAccount
beforeAll(async () => {
  gateway = await startTestGateway(restingVariables)
  victim = await gateway.createAccount()
})
let cases = 0
afterAll(async () => {
  await gateway.close()
  console.info(`members that are not the caller's: ${cases} cases`)
})

/** Members that a caller would like to set, in every spelling that anything behind the facade uses. */
const members: readonly string[] = [
  'account_id',
  'accountId',
  'account',
  'owner',
  'tenant',
  'id',
  'key_id',
  'keyId',
  'keyword_id',
  'invoice_id',
  'balance',
  'credits',
  'held',
  'price',
  'cost',
  'tier',
  'subscription_tier',
  'subscriptionTier',
  'rate_limit_rps',
  'role',
  'roles',
  'is_admin',
  'admin',
  'kind',
  'scopes',
  'scope',
  'ip_allowlist',
  'environment',
  'status',
  'plaintext',
  'secret',
  'secret_hash',
  'secretHash',
  'prefix',
  'last4',
  'created_at',
  'revoked_at',
  'replaced_by',
  'once',
  'input',
  'caller',
  'request_id',
  'limit',
  'cursor',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
]

interface Attack {
  readonly attacker: TestAccount
  readonly victim: TestAccount
  /** The path with ids of the attacker's own things. */
  readonly path: string
}

/** The attacker owns what the path names. */
async function prepare({ path, params }: ValidRequest): Promise<Attack> {
  const attacker = await gateway.createAccount()
  const ids: Record<string, string> = {}
  for (const param of params) {
    const plant = plantOfParam(param)
    const [id = ''] = newIds(plant.prefix, 1)
    const owner = { accountId: attacker.id, environment: 'live', canary: 'own' } as const
    await plant.put(gateway.database, { ...owner, ids: [id] })
    ids[param] = id
  }
  return { attacker, victim, path: pathWith(path, ids) }
}

/** Values that would do harm: the victim's id, more than one has, everything. */
function valuesFor({ victim }: Attack): unknown[] {
  return [victim.id, 1_000_000, ['*'], { id: victim.id, balance: 1_000_000, isAdmin: true }]
}

/** A body with more members, as text: `__proto__` is a member there like any other. */
function withMembers(body: object, names: readonly string[], value: unknown): string {
  const own = Object.entries(body)
  const forged = names.map((name): [string, unknown] => [name, value])
  const texts = [...own, ...forged].map((pair) =>
    pair.map((part) => JSON.stringify(part)).join(':'),
  )
  return `{${texts.join(',')}}`
}

function expectUnknown(
  response: TestResponse,
  names: readonly string[],
  where: 'body' | 'query',
): void {
  const { details = [] } = Object(Object(response.body).error)
  expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
  for (const field of names) {
    expect(details).toContainEqual({ field, in: where, message: 'is not known here' })
  }
  cases += names.length
}

const requests = [...routeRequests(), ...productRequests()]
const withBody = requests.filter(({ body }) => body !== undefined)
const changesWithoutBody = requests.filter(
  ({ method, body, isPublic }) => method !== 'GET' && body === undefined && !isPublic,
)

describe.each(withBody)('the body of $title', (request) => {
  test('accepts no unknown member', async () => {
    const attack = await prepare(request)
    const values = valuesFor(attack)
    const before = await fingerprintDatabase(gateway.database, requestTraces)
    const ask = (names: readonly string[], value: unknown) => {
      const body = withMembers(request.body ?? {}, names, value)
      const headers = { ...request.headers, 'content-type': 'application/json' }
      const options = { method: request.method, key: attack.attacker.liveKey, body, headers }
      return admitted(() => gateway.live.request(attack.path, options))
    }

    const foreign = members.filter((member) => !request.known.has(member))
    for (const value of chosen(request.title, values))
      expectUnknown(await ask(foreign, value), foreign, 'body')
    for (const [index, name] of chosen(request.title, foreign).entries()) {
      expectUnknown(await ask([name], values[index % values.length]), [name], 'body')
    }
    expect(await fingerprintDatabase(gateway.database, requestTraces)).toEqual(before)
  })

  test('cannot be a list, a text or a number', async () => {
    const attack = await prepare(request)
    const before = await fingerprintDatabase(gateway.database, requestTraces)

    const none = request.takesNullBody ? [] : ['null']
    const bodies = ['[]', `[${JSON.stringify(request.body)}]`, '"x"', '1', 'true', ...none]
    for (const body of chosen(request.title, bodies)) {
      const headers = { ...request.headers, 'content-type': 'application/json' }
      const options = { method: request.method, key: attack.attacker.liveKey, body, headers }
      const response = await admitted(() => gateway.live.request(attack.path, options))

      expectError(gateway, response, {
        status: 422,
        code: 'INVALID_REQUEST',
        details: expect.any(Array),
      })
      cases += 1
    }
    expect(await fingerprintDatabase(gateway.database, requestTraces)).toEqual(before)
  })
})

describe.each(requests)('the query of $title', (request) => {
  test('accepts no unknown parameter, and each parameter only once', async () => {
    const attack = await prepare(request)
    const { method, body, known, headers } = request
    const before = await fingerprintDatabase(gateway.database, requestTraces)
    const joint = attack.path.includes('?') ? '&' : '?'
    const ask = (query: string) => {
      const options = { method, key: attack.attacker.liveKey, body, headers }
      return admitted(() => gateway.live.request(`${attack.path}${joint}${query}`, options))
    }

    const foreign = members.filter((member) => !known.has(member))
    const once = foreign.map((name) => `${name}=${attack.victim.id}`).join('&')
    if (!request.ignoresUnknown) {
      expectUnknown(await ask(once), foreign, 'query')
      expectUnknown(await ask(`${once}&${once}`), foreign, 'query')
    }
    const bodyMembers = Object.keys(body ?? {})
    const parameters = [...known].filter((member) => !bodyMembers.includes(member))
    for (const name of chosen(request.title, parameters, 2)) {
      const response = await ask(`${name}=1&${name}=2`)

      const { details = [] } = Object(Object(response.body).error)
      expectError(gateway, response, { status: 422, code: 'INVALID_REQUEST', details })
      expect(details).toContainEqual({ field: name, in: 'query', message: expect.any(String) })
      cases += 1
    }
    expect(await fingerprintDatabase(gateway.database, requestTraces)).toEqual(before)
  })
})

describe.each(changesWithoutBody)('$title, which takes no body,', (request) => {
  test('ignores a body', async () => {
    const attack = await prepare(request)
    const { attacker, victim } = attack
    const tables = (id: string) => dumpDatabase(gateway.database, id)
    const [victimBefore, ownBefore] = [await tables(victim.id), await tables(attacker.id)]
    const forged = Object.fromEntries(
      ['account_id', 'accountId', 'id'].map((name) => [name, victim.id]),
    )
    const body = { ...forged, balance: 1_000_000, tier: 'SCALE', environment: 'sandbox' }

    const options = { method: request.method, key: attacker.liveKey, body }
    const response = await gateway.live.request(attack.path, options)

    expect(response.status).toBeLessThan(500)
    expect(await tables(victim.id)).toEqual(victimBefore)
    const ownAfter = await tables(attacker.id)
    for (const table of ['account.account', 'account.plan', 'account.balance']) {
      expect(ownAfter.get(table)).toEqual(ownBefore.get(table))
    }
    cases += 1
  })
})
