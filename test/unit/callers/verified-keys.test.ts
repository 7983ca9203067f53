import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createVerifiedKeys } from '../../../rest-facade/callers/verified-keys.ts'
import { newApiKey } from '../../../schema/credentials/api-key-format.ts'
import { newOAuthSecret } from '../../../schema/credentials/oauth-secret-format.ts'
import { answeringGraph } from '../../support/graph/answering-graph.ts'

const account = { id: 'acct_1', status: 'ACTIVE', rateLimitRps: 5 }
const key = {
  ...{ id: 'key_1', scopes: ['*'], ipAllowlist: [], expiresAt: null, account },
  ...{ spenderId: 'key_1', externalId: null, isCapped: false },
}
const token = {
  ...{ id: 'tok_1', clientId: 'app_1', scopes: ['*'], isCapped: false, account },
  ...{ expiresAt: '9999-01-01T00:00:00.000Z', clientAccount: { id: 'acct_2', status: 'ACTIVE' } },
}

const credentials = [
  { name: 'key', text: newApiKey('svc', 'live').plaintext, operation: 'VerifyApiKey', found: key },
  {
    ...{ name: 'token', text: newOAuthSecret('svc', 'oat') },
    ...{ operation: 'VerifyAccessToken', found: token },
  },
]

let nowMs = 0
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  nowMs = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Accepts the credential, and waits until its second half; then answers with `later`. */
async function useTwice({ text, operation, found }: (typeof credentials)[number], later: unknown) {
  let answer: unknown = found
  const asked: string[] = []
  const known = { accept: vi.fn(), refuse: vi.fn() }
  const keys = createVerifiedKeys({
    execute: answeringGraph((name) => {
      asked.push(name)
      return name === operation ? answer : []
    }),
    ...{ environment: 'live', keyPrefix: 'svc', cacheSeconds: 5, known },
  })
  await keys.find(text)
  nowMs += 3000
  answer = later
  const first = keys.find(text)
  void keys.find(text)
  await vi.advanceTimersByTimeAsync(50)
  return { keys, asked: asked.filter((name) => name === operation), known, first }
}

test.each(credentials)(
  'a remembered $name that is used in the second half of its time is looked up again, once, and nobody waits',
  async (credential) => {
    const { keys, asked, known, first } = await useTwice(credential, {
      ...credential.found,
      scopes: ['account:read'],
    })

    expect(first).toMatchObject({ id: credential.found.id, scopes: ['*'] })
    expect(asked).toHaveLength(2)
    expect(keys.find(credential.text)).toMatchObject({ scopes: ['account:read'] })
    nowMs += 4000
    expect(keys.find(credential.text)).not.toBeInstanceOf(Promise)
    expect(known.refuse).not.toHaveBeenCalled()
  },
)

test.each(credentials)(
  'a remembered $name that is not valid any more is refused from then on',
  async (credential) => {
    const { keys, known, first } = await useTwice(credential, null)

    expect(first).toMatchObject({ id: credential.found.id })
    expect(await keys.find(credential.text)).toBeNull()
    expect(known.refuse).toHaveBeenCalled()
  },
)
