import type { TestAccount, TestGateway } from '../../../test/support/gateway/gateway.ts'
import { idempotencyHeader } from '../../../test/support/load/load.ts'
import {
  type Answer,
  type Call,
  type Interval,
  ledgerPageLength,
  type Read,
  type ShownEntry,
} from '../model/history.ts'
import type { CallStep, ReadStep } from '../plan/plan.ts'
import { nowMs } from './clock.ts'

/** Longer than any answer may take. */
const patienceMs = 12_000
const revealCredits = 5
const dayMs = 86_400_000
const ledgerPath = `/v1/account/credits/ledger?limit=${ledgerPageLength}`

interface Exchange extends Interval {
  readonly response: {
    readonly status: number
    readonly headers: Headers
    readonly text: string
  } | null
}

async function exchange(
  url: string,
  init: RequestInit & { readonly headers: Readonly<Record<string, string>> },
  leavesAfterMs: number | null = null,
): Promise<Exchange> {
  const startMs = nowMs()
  try {
    const signal = AbortSignal.timeout(leavesAfterMs ?? patienceMs)
    const response = await fetch(url, { ...init, signal })
    const text = await response.text()
    const { status, headers } = response
    return { startMs, endMs: nowMs(), response: { status, headers, text } }
  } catch {
    return { startMs, endMs: nowMs(), response: null }
  }
}

/** An item of the ledger, as the API shows it. */
interface LedgerItem {
  readonly kind: string
  readonly credits: number
  readonly balance_after: number
}

interface Asking {
  readonly id: string
  readonly account: TestAccount
  readonly gateway: TestGateway
  /** The name of the gateway. */
  readonly name: string
  readonly credential: UsedCredential
}

/** What a request to the live environment comes with. */
export interface UsedCredential {
  readonly headers: Readonly<Record<string, string>>
  /** The place of the credential among those of the account; null: it never ends. */
  readonly place: number | null
}

export function bearer(plaintext: string): UsedCredential['headers'] {
  return { authorization: `Bearer ${plaintext}` }
}

export async function askCall(
  { environment, key, request, limit, leavesAfterMs }: CallStep,
  { id, account, gateway, name, credential }: Asking,
): Promise<Call> {
  const isSearch = limit !== null
  const url = `${gateway[environment].url}/v1/contacts/${isSearch ? 'search' : 'reveal'}`
  const body = isSearch ? { query: request, limit } : { contact_id: request }
  const headers = {
    ...(environment === 'live' ? credential.headers : bearer(account.sandboxKey)),
    'content-type': 'application/json',
    ...(key === null ? {} : { [idempotencyHeader]: key }),
  }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  const { startMs, endMs, response } = await exchange(url, init, leavesAfterMs)
  return {
    ...{ id, startMs, endMs, environment, key, request },
    accountId: account.id,
    gateway: name,
    credential: environment === 'live' ? credential.place : null,
    maximum: limit ?? revealCredits,
    isFlat: !isSearch,
    isRepeatable: isSearch,
    answer: response ? answerOf(response) : null,
  }
}

function answerOf({ status, headers, text }: NonNullable<Exchange['response']>): Answer {
  const numberIn = (name: string) => {
    const value = headers.get(name)
    return value === null ? null : Number(value)
  }
  return {
    status,
    requestId: headers.get('x-request-id') ?? '',
    code: status < 300 ? '' : codeOf(text),
    body: text,
    charged: numberIn('x-credits-charged'),
    remaining: numberIn('x-credits-remaining'),
    budgetRemaining: numberIn('x-budget-remaining'),
    isReplay: headers.get('idempotent-replayed') === 'true',
  }
}

function codeOf(text: string): string {
  try {
    return String(Object(JSON.parse(text)).error?.code)
  } catch {
    return 'not JSON'
  }
}

/** Null: no answer, which tells nothing. */
export async function askRead(
  what: ReadStep['what'],
  { id, account, gateway, name, credential }: Asking,
): Promise<Read | null> {
  const paths = { balance: '/v1/account/credits', usage: summaryPath(), ledger: ledgerPath }
  const { headers, place } = credential
  const { startMs, endMs, response } = await exchange(gateway.live.url + paths[what], { headers })
  if (!response) return null
  const { status, text } = response
  const read = { id, startMs, endMs, accountId: account.id, gateway: name, credential: place }
  if (status !== 200) return { ...read, shown: { kind: 'refused', status } }
  const body = Object(JSON.parse(text))
  if (what === 'usage') return { ...read, shown: { kind: 'usage', credits: creditsIn(body) } }
  if (what === 'ledger') return { ...read, shown: { kind: 'ledger', entries: entriesIn(body) } }
  const { balance, held, available } = body
  return { ...read, shown: { kind: 'balance', balance, held, available } }
}

/** The path of the summary of all that there is, also where the clock of the gateway is wrong. */
function summaryPath(): string {
  const [from, to] = [-dayMs, dayMs].map((ms) => new Date(Date.now() + ms).toISOString())
  return `/v1/account/usage/summary?from=${from}&to=${to}`
}

function entriesIn({ items }: { readonly items: readonly LedgerItem[] }): ShownEntry[] {
  return items.map(({ kind, credits, balance_after: balanceAfter }) => ({
    kind,
    credits,
    balanceAfter,
  }))
}

function creditsIn({ items }: { readonly items: readonly { readonly credits: number }[] }): number {
  return items.reduce((sum, { credits }) => sum + credits, 0)
}
