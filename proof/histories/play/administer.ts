import { setTimeout as sleep } from 'node:timers/promises'
import type { TestGateway } from '../../../test/support/gateway/gateway.ts'
import type { TestResponse } from '../../../test/support/requests/client.ts'
import type { Posting, Suspension } from '../model/history.ts'
import { nowMs } from './clock.ts'

/** How long an administrator tries. */
const patienceMs = 300_000
const pauseMs = 150
/** The outcome of these is known: nothing happened. */
const refusals = ['INVALID_REQUEST', 'CONFLICT', 'NOT_FOUND']

const mutations = {
  grant: 'mutation ($input: GrantCreditsInput!) { done: grantCredits(input: $input) { id } }',
  adjustment:
    'mutation ($input: AdjustCreditsInput!) { done: adjustCredits(input: $input) { id } }',
  refund: 'mutation ($input: RefundChargeInput!) { done: refundCharge(input: $input) { id } }',
} as const

/** The gateway to ask next, or null while all are down. */
export type FindGateway = () => TestGateway | null

type Wish = Omit<Posting, 'startMs' | 'endMs' | 'outcome'>

/** Enters credits; repeats the request with its idempotency key until the outcome is known. */
export async function post(wish: Wish, find: FindGateway): Promise<Posting> {
  const { id, accountId, kind, credits, expiresAtMs, priority, allowNegative, requestId } = wish
  const input = {
    ...{ accountId, reason: id, idempotencyKey: id },
    ...(kind === 'refund' ? { requestId } : { credits }),
    ...(kind === 'grant' && expiresAtMs !== null
      ? { expiresAt: new Date(expiresAtMs).toISOString(), priority }
      : {}),
    ...(kind === 'adjustment' && allowNegative ? { allowNegative } : {}),
  }
  const startMs = nowMs()
  const outcome = await insist(mutations[kind], { input }, find)
  return { ...wish, startMs, endMs: nowMs(), outcome }
}

/** Suspends an account or makes it active again. */
export async function changeStatus(
  accountId: string,
  status: Suspension['status'],
  find: FindGateway,
): Promise<Suspension> {
  const startMs = nowMs()
  const mutation =
    'mutation ($input: UpdateAccountInput!) { done: updateAccount(input: $input) { id } }'
  const outcome = await insist(mutation, { input: { id: accountId, status } }, find)
  if (outcome !== 'done') throw new Error(`An account can't be ${status}: ${outcome}.`)
  return { accountId, status, startMs, endMs: nowMs() }
}

/** Asks again until the answer tells what happened: none, 409, 429, 503 and 504 do not. */
export async function untilAnswered(
  find: FindGateway,
  request: (gateway: TestGateway) => Promise<TestResponse>,
): Promise<TestResponse> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const gateway = find()
    const answer = gateway && (await request(gateway).catch(() => null))
    if (answer && ![409, 429, 503, 504].includes(answer.status)) return answer
    if (performance.now() > deadline) {
      throw new Error(`There is no outcome: ${JSON.stringify(answer?.body)}.`)
    }
    await sleep(pauseMs)
  }
}

async function insist(
  query: string,
  variables: object,
  find: FindGateway,
): Promise<Posting['outcome']> {
  const deadline = performance.now() + patienceMs
  for (let tries = 1; performance.now() < deadline; tries += 1) {
    const outcome = await ask(query, variables, find())
    // A retry may be refused for another reason than its key: by then a grant may have ended.
    if (outcome === 'refused') return tries === 1 ? 'refused' : 'unknown'
    if (outcome === 'done') return 'done'
    await sleep(pauseMs)
  }
  return 'unknown'
}

async function ask(
  query: string,
  variables: object,
  gateway: TestGateway | null,
): Promise<Posting['outcome']> {
  if (!gateway) return 'unknown'
  try {
    const token = await gateway.internalToken('admin')
    const { body } = await gateway.internal.post('/graphql', { query, variables }, token)
    const { data, errors } = Object(body)
    if (data?.done) return 'done'
    return refusals.includes(errors?.[0]?.extensions?.code) ? 'refused' : 'unknown'
  } catch {
    return 'unknown'
  }
}
