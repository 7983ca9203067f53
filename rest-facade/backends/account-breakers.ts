import { LRUCache } from 'lru-cache'
import { atMost } from '../../schema/process/at-most.ts'

/** Beyond them, the account that was refused longest ago is forgotten. */
const maxAccounts = 10_000

interface OpenBreaker {
  /** When the breaker lets one call try whether the module works for this account. */
  until: number
  /** Resolves when the call that tries has ended. */
  probe: Promise<void> | null
}

/** A call that may be made. */
export interface Turn {
  /** Whether this call tries if calls of the account succeed again. */
  readonly isProbe: boolean
  /** Must be called when the call has ended. */
  readonly end: () => void
}

/** The accounts whose calls of one module are refused, because they have been failing. */
export class AccountBreakers {
  readonly #open = new LRUCache<string, OpenBreaker>(atMost(maxAccounts))

  /** Waits while another call of the account tries. Null: the account is refused. */
  async begin(accountId: string): Promise<Turn | null> {
    for (;;) {
      const open = this.#open.get(accountId)
      if (!open) return usual
      if (!open.probe) return Date.now() < open.until ? null : beginProbe(open)
      await open.probe
    }
  }

  open(accountId: string, forMs: number): void {
    const until = Date.now() + forMs
    const open = this.#open.get(accountId)
    if (open) open.until = Math.max(open.until, until)
    else this.#open.set(accountId, { until, probe: null })
  }

  close(accountId: string): void {
    this.#open.delete(accountId)
  }
}

const usual: Turn = { isProbe: false, end: () => {} }

function beginProbe(open: OpenBreaker): Turn {
  const { promise, resolve } = Promise.withResolvers<void>()
  open.probe = promise
  function end() {
    open.probe = null
    resolve()
  }
  return { isProbe: true, end }
}
