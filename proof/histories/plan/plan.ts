/** Everything that one seed asks for, in the order of its time. */
export interface Plan {
  readonly seed: number
  readonly seconds: number
  readonly accounts: readonly PlannedAccount[]
  readonly steps: readonly Step[]
  readonly faults: readonly Fault[]
  /** Whether there are faults of the machine too: of clocks, of the disk, of Redis. */
  readonly isHard: boolean
  /** By how much the clock of each gateway is wrong, from one start to the next. */
  readonly clocksMs: readonly [readonly number[], readonly number[]]
  /** How the backend answers a request text. */
  readonly behaviours: ReadonlyMap<string, Behaviour>
}

export interface PlannedAccount {
  readonly role: Role
  readonly credits: number
  /** The budget of its API key, for all of the run; null: it has no budget. */
  readonly budget: number | null
}

/**
 * `rich` never lacks credits, `poor` is always near 0 and lives on grants, `hot` is asked in bursts, `fickle`
 * is suspended for some of the time. The others are rich: the API key of `rotated` is replaced now and then,
 * `visitor` reads in a browser that signs in anew now and then, `thrifty` calls with a key whose budget ends.
 * `buyer` has what it buys, and some of its payments come back. `subscriber` has an allowance for each period, and changes its plan.
 */
export type Role =
  | 'rich'
  | 'poor'
  | 'hot'
  | 'fickle'
  | 'rotated'
  | 'visitor'
  | 'thrifty'
  | 'buyer'
  | 'subscriber'

/** A request at one time to one gateway; accounts and gateways are places in a list. */
export type Step = Moment &
  (
    | (CallStep | ReadStep | PostingStep | SuspensionStep)
    | (RotationStep | PurchaseStep | MoneyBackStep | PlanChangeStep)
  )

export interface Moment {
  /** From the beginning of the run. */
  readonly atMs: number
  readonly id: string
  readonly account: number
  readonly gateway: 0 | 1
}

export interface CallStep {
  readonly kind: 'call'
  readonly environment: 'live' | 'sandbox'
  readonly key: string | null
  /** Stands in the body: the backend finds its behaviour by it. */
  readonly request: string
  /** The limit of a search, which is charged by its hits; null: a reveal at its flat price. */
  readonly limit: number | null
  /** Whether it comes with the credential before the newest one, where there is one. */
  readonly isLate: boolean
  /** When the client leaves; null: it waits. */
  readonly leavesAfterMs: number | null
}

export interface ReadStep {
  readonly kind: 'read'
  readonly what: 'balance' | 'usage' | 'ledger'
  /** Whether the read comes with the credential before the newest one, as calls do. */
  readonly isLate: boolean
}

export type PostingStep = {
  readonly kind: 'posting'
  readonly priority: number
  /** When a grant ends, from its request on; null: never. */
  readonly endsAfterMs: number | null
} & (
  | { readonly what: 'grant'; readonly credits: number }
  | { readonly what: 'adjustment'; readonly credits: number; readonly allowNegative: boolean }
  /** A refund of the charge of that call, if it was charged. */
  | { readonly what: 'refund'; readonly callId: string }
)

export interface SuspensionStep {
  readonly kind: 'suspension'
  readonly status: 'SUSPENDED' | 'ACTIVE'
}

/** The API key or the session of the account is replaced, and ends at once. */
export interface RotationStep {
  readonly kind: 'rotation'
}

/** Buys `soldPackage`. */
export interface PurchaseStep {
  readonly kind: 'purchase'
}

/** The provider tells that money of this purchase or change of the plan went back to the payer, if it was paid. */
export interface MoneyBackStep {
  readonly kind: 'money back'
  readonly purchaseId: string
  /** At most what was paid. */
  readonly cents: number
  /** Whether the refund fails afterwards: then the money comes again. */
  readonly hasFailed: boolean
  /** How often the provider tells each of it. */
  readonly copies: number
}

/** Asks for another plan, up or down; it may be refused. */
export interface PlanChangeStep {
  readonly kind: 'plan change'
  readonly tier: string
}

/** The package of the price list that is sold; it has no tax for these accounts. */
export const soldPackage = { id: 'pack_starter', credits: 1000, cents: 1000 } as const

/** How the backend handles a request. */
export interface Behaviour {
  readonly delayMs: number
  /** One for each time that it is asked; the last one stays. `break` ends the connection. */
  readonly statuses: readonly (number | 'break')[]
  /** `X-Credits-Used` of a search; null: the hits are counted. */
  readonly used: number | null
  /** Hits of a search. */
  readonly hits: number
}

export type Fault = { readonly atMs: number; readonly lastsMs: number } & (
  | { readonly kind: 'kill gateway' | 'stop gateway'; readonly gateway: 0 | 1 }
  | { readonly kind: 'kill postgres'; readonly signal: 'SIGKILL' | 'SIGQUIT' }
  | { readonly kind: 'kill one backend of postgres' }
  | { readonly kind: 'fill disk' }
  | { readonly kind: 'kill redis' }
  | { readonly kind: 'delay'; readonly gateway: 0 | 1; readonly delayMs: number }
  | { readonly kind: 'cut connections' | 'black hole'; readonly gateway: 0 | 1 }
  /** Between a gateway and the database, of this share of all requests. */
  | {
      readonly kind: 'lose acknowledgements' | 'lose requests'
      readonly gateway: 0 | 1
      readonly share: number
    }
)
