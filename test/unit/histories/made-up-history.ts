import {
  type AccountStart,
  type Answer,
  type Asked,
  type Balance,
  type Call,
  type Entry,
  fingerprint,
  type History,
  type LogRow,
  type Posting,
  type Read,
} from '../../../proof/histories/model/history.ts'

export const accountId = 'acct_1'
const startCredits = 100
const revealCredits = 5

/** The history of one account, written down event by event; each has the time that it is given. */
export interface Scribe {
  /** A call of 10 ms that reaches the backend and is charged, unless the changes say otherwise. */
  call(name: string, atMs: number, change?: CallChange): void
  /** A call that gets the stored answer of another one. */
  replay(name: string, atMs: number, of: string, change?: Partial<Answer>): void
  read(name: string, atMs: number, balance: number, out?: Unavailable): void
  post(name: string, atMs: number, posting?: Partial<Posting>): void
  /** An entry that nobody asked for. */
  enter(entry: Partial<Entry>): void
  /** The rows of the database follow from the entries, unless `change` replaces them. */
  finish(change?: (history: History) => History): History
}

/** What of a balance cannot be spent; usually none. */
interface Unavailable {
  readonly held?: number
  readonly expired?: number
}

export interface CallChange {
  readonly call?: Partial<Call>
  readonly answer?: Partial<Answer> | null
  readonly backend?: Partial<NonNullable<Asked['answer']>> | null
  /** Credits of the charge; 0: there is none. */
  readonly entered?: number
}

export function openBook(): Scribe {
  const calls: Call[] = []
  const asked: Asked[] = []
  const reads: Read[] = []
  const postings: Posting[] = []
  const entries: Entry[] = []
  const suspensions: History['suspensions'][number][] = []
  const balance = () => entries.reduce((sum, { credits }) => sum + credits, 0)

  function enter(entry: Partial<Entry>): void {
    const { credits = 0 } = entry
    entries.push({
      ...{ accountId, environment: 'live', seq: entries.length + 1, kind: 'grant', credits },
      ...{ ref: 'start', description: 'start', createdAtMs: 0 },
      balanceAfter: balance() + credits,
      ...entry,
    })
  }
  enter({ credits: startCredits })

  return {
    enter,
    call(name, atMs, { call, answer, backend, entered = revealCredits } = {}) {
      const requestId = `req_${name}`
      const body = `{"effect":"${name}"}`
      if (backend !== null) {
        asked.push({
          ...{ requestId, accountId, request: call?.request ?? name, startMs: atMs + 2 },
          backendKey: typeof call?.key === 'string' ? `backend-${call.key}` : null,
          answer: { atMs: atMs + 4, status: 200, used: null, body, ...backend },
        })
      }
      if (entered > 0) {
        const charge = { kind: 'charge', credits: -entered, ref: requestId, description: '/reveal' }
        enter({ ...charge, createdAtMs: atMs + 5 })
      }
      const charged = { charged: revealCredits, remaining: balance(), budgetRemaining: null }
      const said = { status: 200, code: '', ...charged }
      calls.push({
        ...{ id: name, accountId, environment: 'live', key: null, request: name },
        ...{ maximum: revealCredits, isFlat: true, isRepeatable: false, gateway: 'gateway 1' },
        credential: null,
        ...{ startMs: atMs, endMs: atMs + 10, ...call },
        answer: answer === null ? null : { ...said, requestId, body, isReplay: false, ...answer },
      })
    },
    replay(name, atMs, of, change) {
      const first = calls.find(({ id }) => id === of)
      if (!first?.answer) throw new Error(`There is no call ${of}.`)
      const answer = { ...first.answer, requestId: `req_${name}`, remaining: balance() }
      calls.push({
        ...{ ...first, id: name, startMs: atMs, endMs: atMs + 10 },
        answer: { ...answer, isReplay: true, ...change },
      })
    },
    read(name, atMs, shown, { held = 0, expired = 0 } = {}) {
      reads.push({
        ...{ id: name, accountId, gateway: 'gateway 2', credential: null },
        ...{ startMs: atMs, endMs: atMs + 10 },
        shown: { kind: 'balance', balance: shown, held, available: shown - held - expired },
      })
    },
    post(name, atMs, change) {
      const posting: Posting = {
        ...{ id: name, accountId, kind: 'grant', credits: 20, expiresAtMs: null, priority: 50 },
        allowNegative: false,
        ...{ requestId: null, outcome: 'done', startMs: atMs, endMs: atMs + 10, ...change },
      }
      postings.push(posting)
      const { kind, credits } = posting
      const ref = posting.requestId ?? `internal:${name}`
      if (posting.outcome === 'done') {
        enter({ kind, credits, ref, description: name, createdAtMs: atMs + 5 })
      }
    },
    finish(change = (history) => history) {
      const charges = entries.filter(({ kind }) => kind === 'charge')
      const last: Balance = { accountId, balance: balance(), held: 0, lastSeq: entries.length }
      const start: AccountStart = { accountId, lastSeq: 1, budget: null }
      const credits = -charges.reduce((sum, charge) => sum + charge.credits, 0)
      const log = charges.map(
        (charge): LogRow => ({
          ...{ accountId, environment: 'live', requestId: charge.ref, status: 200 },
          credits: -charge.credits,
        }),
      )
      const money = { payments: [], allowances: [], clawbacks: [], budgets: [] }
      const books = { entries, balances: [last], holds: [], log, drifts: [], ...money }
      return change({
        ...{
          rules: { holdTtlMs: 2000, backendTimeoutMs: 1000, keyAllowanceMs: 1000 },
          accounts: [start],
        },
        ...{ calls, reads, postings, suspensions, rotations: [], asked, outages: [] },
        ...{ purchases: [], moneyBack: [] },
        quietMs: 100_000,
        snapshots: [
          {
            ...{ atMs: 100_000, accountId, balance: last.balance, held: 0, holdsSum: 0 },
            ...{ entriesSum: last.balance, lastSeq: entries.length },
            entries: fingerprint(entries),
          },
        ],
        books: { ...books, summaries: [{ accountId, credits }] },
      })
    },
  }
}
