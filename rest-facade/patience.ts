/** The result, or null when it takes too long; the work goes on. */
export async function within<Result>(
  patienceMs: number,
  work: Promise<Result>,
): Promise<Result | null> {
  const { promise: tooLong, resolve } = Promise.withResolvers<null>()
  const timer = setTimeout(() => resolve(null), patienceMs)
  try {
    return await Promise.race([work, tooLong])
  } finally {
    clearTimeout(timer)
  }
}
