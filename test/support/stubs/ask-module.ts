import type {
  Backend,
  BackendAnswer,
  BackendRequest,
  CallingClient,
} from '../../../rest-facade/backends/backend.ts'
import type { BackendCounts } from '../../../rest-facade/backends/backend-counts.ts'

/** A client as the module's queue sees it, which learns nothing. */
export type Client = Omit<CallingClient, 'answered' | 'unanswered'>

export const staying: Client = { isGone: () => false, onGone: () => () => {}, dispatched: () => {} }

export const uncounted: BackendCounts = { answered() {}, unanswered() {}, refused() {} }

/** Asks a module for an account, and resolves to its answer. */
export async function askModule(
  backend: Backend,
  request: BackendRequest,
  client: Client = staying,
): Promise<BackendAnswer> {
  const place = backend.enter('acc_1')
  try {
    return await new Promise((answered, unanswered) =>
      place.send(request, { ...client, answered, unanswered }),
    )
  } finally {
    place.leave()
  }
}
