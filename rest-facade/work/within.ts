/** Returns the result, or null if it takes too long; the work continues. */
export async function within<Result>(
  patienceMs: number,
  work: Promise<Result>,
): Promise<Result | null> {
  const { promise: tooLong, resolve } = Promise.withResolvers<null>()
  // A result that arrived while this process was busy is in time, so it is read first.
  const timer = setTimeout(() => setImmediate(resolve, null), patienceMs)
  try {
    return await Promise.race([work, tooLong])
  } finally {
    clearTimeout(timer)
  }
}
