import type { Binder, Call, CallOptions, ListCall, Operation } from './operations/operation.ts'
import type { Send } from './transport.ts'

type Members = Readonly<Record<string, unknown>>

/** Turns the table of operations into functions. */
export function createBinder(send: Send): Binder {
  function call<Data, Responses>(operation: Operation): Call<Data, Responses>
  function call(operation: Operation) {
    return (input?: Members, options?: CallOptions) => send(operation, input, options)
  }

  function list<Data, Responses>(operation: Operation): ListCall<Data, Responses>
  function list(operation: Operation) {
    return Object.assign(call(operation), {
      iterate: (input?: Members, options?: CallOptions) => iterate(send, operation, input, options),
    })
  }

  return { call, list }
}

interface Page {
  readonly items: readonly unknown[]
  readonly next_cursor: string | null
}

/**
 * Filters are repeated with the cursor. Only null marks the end, not a short page (docs/spec.md
 * §7).
 */
async function* iterate(
  send: Send,
  operation: Operation,
  input?: Members,
  options?: CallOptions,
): AsyncGenerator<unknown, void> {
  let query = input
  for (;;) {
    const { data } = await send<Page>(operation, query, options)
    yield* data.items
    if (data.next_cursor === null) return
    query = { ...query, cursor: data.next_cursor }
  }
}
