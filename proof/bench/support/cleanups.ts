/** Remembers what to undo; the last comes first. */
export type Defer = (cleanup: () => Promise<void>) => void

/** Undoes everything that was deferred, however the work ends. */
export async function withCleanups<Result>(
  work: (defer: Defer) => Promise<Result>,
): Promise<Result> {
  const stack = new AsyncDisposableStack()
  try {
    return await work((cleanup) => stack.defer(cleanup))
  } finally {
    await stack.disposeAsync()
  }
}
