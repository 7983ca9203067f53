/** The result, or null when it takes too long; the work goes on. */
export async function within<Result>(
  patienceMs: number,
  work: Promise<Result>,
): Promise<Result | null> {
  const { promise: tooLong, resolve } = Promise.withResolvers<null>()
  // What came while this process was busy with something else has come in time: it is read first.
  const timer = setTimeout(() => setImmediate(resolve, null), patienceMs)
  try {
    return await Promise.race([work, tooLong])
  } finally {
    clearTimeout(timer)
  }
}
