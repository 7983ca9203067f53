import { ClientGone } from '../http/errors.ts'

/** The client for whom a call is made. It may leave; before the module was asked, that ends the call. */
export interface CallingClient {
  isGone(): boolean
  /** Calls the function when the client leaves; returns what ends that. */
  onGone(leave: () => void): () => void
  /**
   * Called just before the module is asked: from then on the call is finished, even if the client
   * leaves.
   */
  dispatched(): void
}

export function requirePresence(client: CallingClient): void {
  if (client.isGone()) throw new ClientGone()
}
