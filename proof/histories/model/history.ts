/** Milliseconds since 1970 by the clock of the machine that everything runs on. */
export interface Interval {
  readonly startMs: number
  readonly endMs: number
}

/** All that was asked and answered in one run, and what was in the books when everything was quiet again. */
export interface History {
  readonly rules: Rules
  readonly accounts: readonly AccountStart[]
  readonly calls: readonly Call[]
  readonly reads: readonly Read[]
  readonly postings: readonly Posting[]
  readonly suspensions: readonly Suspension[]
  readonly rotations: readonly Rotation[]
  readonly purchases: readonly Purchase[]
  readonly moneyBack: readonly MoneyBack[]
  /** Every request that reached the backend. */
  readonly asked: readonly Asked[]
  readonly outages: readonly Outage[]
  /** Balances, as one statement of the database saw them now and then. */
  readonly snapshots: readonly Snapshot[]
  /** When nothing was under way any more; when the wait for it was given up, if something still was. */
  readonly quietMs: number
  readonly books: Books
}

/** How the gateways are configured, as far as it decides what may happen. */
export interface Rules {
  readonly holdTtlMs: number
  /** How long the backend is waited for. */
  readonly backendTimeoutMs: number
  /** How long a suspended account's key may be accepted after the suspension was acknowledged. */
  readonly keyAllowanceMs: number
}

/** An account before the first call. */
export interface AccountStart {
  readonly accountId: string
  /** Entries of its live ledger that were there already. */
  readonly lastSeq: number
  /** The budget of all that the live calls of the key may cost together; null: it has no budget. */
  readonly budget: number | null
}

/** One attempt of a product call. */
export interface Call extends Interval {
  readonly id: string
  readonly accountId: string
  readonly environment: 'live' | 'sandbox'
  /** The idempotency key, or null. */
  readonly key: string | null
  /** Two calls with the same text have the same method, path and body. The backend sees it too. */
  readonly request: string
  /** The most that it can cost. */
  readonly maximum: number
  /** Whether it always costs the maximum; otherwise the backend says how much. */
  readonly isFlat: boolean
  /** Whether the gateway may ask the backend twice. */
  readonly isRepeatable: boolean
  /**
   * The place of its API key or session among those of the account, one after the other; null: it never
   * ends.
   */
  readonly credential: number | null
  /** The gateway that was asked. */
  readonly gateway: string
  /** Null: the connection failed, the client left, or nothing came. */
  readonly answer: Answer | null
}

export interface Answer {
  readonly status: number
  readonly requestId: string
  /** The code of the error envelope; empty for a success. */
  readonly code: string
  readonly body: string
  /** `X-Credits-Charged` and `X-Credits-Remaining`, null without the header. */
  readonly charged: number | null
  readonly remaining: number | null
  /** `X-Budget-Remaining`. */
  readonly budgetRemaining: number | null
  readonly isReplay: boolean
}

/** Entries of a page of the ledger, unless there are fewer. */
export const ledgerPageLength = 20

/** A read that was answered with 200. */
export interface Read extends Interval {
  readonly id: string
  readonly accountId: string
  readonly gateway: string
  /** The credential of the read, as a call has one. */
  readonly credential: number | null
  readonly shown:
    | {
        readonly kind: 'balance'
        readonly balance: number
        readonly held: number
        readonly available: number
      }
    /** The sum of the credits in the usage summary. */
    | { readonly kind: 'usage'; readonly credits: number }
    /** The first page of the ledger, the newest entry first. */
    | { readonly kind: 'ledger'; readonly entries: readonly ShownEntry[] }
    /** Any other answer. */
    | { readonly kind: 'refused'; readonly status: number }
}

export type ShownEntry = Pick<Entry, 'kind' | 'credits' | 'balanceAfter'>

/** An entry that an administrator makes, tried with one idempotency key until the outcome is known. */
export interface Posting extends Interval {
  /** The id, which is also the description of the entry. */
  readonly id: string
  readonly accountId: string
  readonly kind: 'grant' | 'adjustment' | 'refund'
  /** Signed; for a refund, the credits of the charge. */
  readonly credits: number
  /** When a grant ends; null: never. */
  readonly expiresAtMs: number | null
  readonly priority: number
  /** Whether an adjustment may take what is held, and the balance below 0. */
  readonly allowNegative: boolean
  /** The request whose charge is refunded; null: it is no refund. */
  readonly requestId: string | null
  readonly outcome: 'done' | 'refused' | 'unknown'
}

/** A change of an account's status; it is tried until it is acknowledged. */
export interface Suspension extends Interval {
  readonly accountId: string
  readonly status: 'SUSPENDED' | 'ACTIVE'
}

/** The end of a credential, which the next one replaces; it is tried until it is acknowledged. */
export interface Rotation extends Interval {
  readonly accountId: string
  readonly ended: number
}

/** A package that was bought, tried with one idempotency key until the outcome is known. */
export interface Purchase extends Interval {
  readonly id: string
  readonly accountId: string
  readonly credits: number
  readonly cents: number
  readonly paymentId: string
  /** Whether the answer said that it is paid. */
  readonly isPaid: boolean
}

/** What the provider told of a payment, until it was taken. */
export interface MoneyBack extends Interval {
  readonly accountId: string
  readonly paymentId: string
  /** The cents that the payer has got back at the end. */
  readonly cents: number
}

export interface Asked {
  readonly requestId: string
  readonly accountId: string
  readonly request: string
  /** The key that the gateway derived, or null. */
  readonly backendKey: string | null
  readonly startMs: number
  /** Status, credits used and body as sent; null when the backend broke the connection instead. */
  readonly answer: {
    readonly atMs: number
    readonly status: number
    readonly used: number | null
    readonly body: string
  } | null
}

export interface Outage extends Interval {
  /** `postgres`, or the name of a gateway: it was killed and is up again at the end. */
  readonly what: string
}

export interface Snapshot {
  readonly atMs: number
  readonly accountId: string
  readonly balance: number
  readonly held: number
  readonly entriesSum: number
  readonly holdsSum: number
  readonly lastSeq: number
  /** `fingerprint` of all entries. */
  readonly entries: string
}

/** The rows of the database at the end. */
export interface Books {
  readonly entries: readonly Entry[]
  readonly balances: readonly Balance[]
  readonly holds: readonly { readonly accountId: string; readonly requestId: string }[]
  readonly log: readonly LogRow[]
  /** The findings of the gateway's own verification. */
  readonly drifts: readonly string[]
  readonly payments: readonly Payment[]
  /** Credits that end, as the gateway keeps them: when, and what they were paid with. */
  readonly allowances: readonly Allowance[]
  /** The payments of which entries with this reference, or with one that continues it, take credits. */
  readonly clawbacks: readonly { readonly ref: string; readonly paymentId: string }[]
  /** The budgets of each account that has one, as a gateway shows them. */
  readonly budgets: readonly {
    readonly accountId: string
    readonly used: number
    readonly held: number
  }[]
  /** The sum of the usage summary of each account, as a gateway shows it. */
  readonly summaries: readonly { readonly accountId: string; readonly credits: number }[]
}

export interface Entry {
  readonly accountId: string
  readonly environment: string
  readonly seq: number
  readonly kind: string
  /** Signed. */
  readonly credits: number
  readonly balanceAfter: number
  readonly ref: string
  readonly description: string
  readonly createdAtMs: number
}

export interface Balance {
  readonly accountId: string
  readonly balance: number
  readonly held: number
  readonly lastSeq: number
}

export interface Payment {
  readonly id: string
  readonly accountId: string
  readonly kind: string
  readonly status: string
  readonly credits: number
  readonly cents: number
}

export interface Allowance {
  readonly accountId: string
  /** The number of its entry. */
  readonly seq: number
  readonly paymentId: string | null
  readonly expiresAtMs: number
}

export interface LogRow {
  readonly accountId: string
  readonly environment: string
  readonly requestId: string
  readonly status: number
  readonly credits: number
}

/** Equal for equal entries: the text that a snapshot keeps of each. */
export function fingerprint(entries: readonly Pick<Entry, 'seq' | 'ref' | 'credits'>[]): string {
  return entries.map(({ seq, ref, credits }) => `${seq} ${ref} ${credits}`).join('\n')
}
