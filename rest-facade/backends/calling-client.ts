import { ClientGone } from '../http/errors.ts'

/** The client for whom a call is made. It may leave; before the module was asked, that ends the call. */
export interface CallingClient {
  readonly isGone: () => boolean
  /** Calls the function when the client leaves; returns what ends that. */
  readonly onGone: (leave: () => void) => () => void
  /**
   * Called just before the module is asked: from then on the call is finished, even if the client
   * leaves.
   */
  readonly dispatched: () => void
}

export function requirePresence({ isGone }: CallingClient): void {
  if (isGone()) throw new ClientGone()
}
