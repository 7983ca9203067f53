import type { Hold, Reservation, Settle, Settlement } from '../../../rest-facade/charge/hold.ts'
import { createLedger, type Ledger } from '../../../rest-facade/charge/ledger.ts'

/** A ledger that can be asked with promises. */
export interface AskedLedger extends Ledger {
  reserve(hold: Hold): Promise<Reservation>
  settle(item: Settle): Promise<Settlement>
}

/** Makes a ledger as `createLedger` does, whose functions have promises. */
export function createAskedLedger(...options: Parameters<typeof createLedger>): AskedLedger {
  const ledger = createLedger(...options)
  const unasked = { queuedAtMs: 0, asker: null }
  return {
    ...ledger,
    reserve: (hold) =>
      new Promise((resolve, reject) =>
        ledger.begin({ hold, reserved: resolve, failed: reject, ...unasked }),
      ),
    settle: (item) =>
      new Promise((resolve, reject) =>
        ledger.end({ ...item, settled: resolve, failed: reject, ...unasked }),
      ),
  }
}
