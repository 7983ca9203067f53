import { AccountPlaces } from './account-places.ts'
import { createTimeDebts, type TimeDebts } from './time-debts.ts'

/** What each account may have this process do at once and in a second, beside product calls. */
export interface AccountWork extends Pick<TimeDebts, 'waitOf'> {
  readonly places: AccountPlaces
  /** Notes that the account has used this time; other processes of the gateway learn it too. */
  spend(accountId: string, ms: number): void
}

/** The time that the processes of a gateway spend on accounts. */
export interface AccountSpending {
  /** Tells the other processes a moment later. */
  tell(accountId: string, ms: number): void
  /** Calls back with the time that other processes have spent. */
  watch(note: (accountId: string, ms: number) => void): void
}

interface AccountWorkOptions {
  /** The working time of an account in each second; 0: no limit. */
  readonly msPerSecond: number
  readonly workers: number
  /** The spending of the other processes; null: there are none. */
  readonly spending: AccountSpending | null
}

export function createAccountWork({
  msPerSecond,
  workers,
  spending,
}: AccountWorkOptions): AccountWork {
  const debts = createTimeDebts(msPerSecond)
  spending?.watch(debts.add)
  return {
    places: new AccountPlaces(workers),
    waitOf: debts.waitOf,
    spend(accountId, ms) {
      debts.add(accountId, ms)
      spending?.tell(accountId, ms)
    },
  }
}
