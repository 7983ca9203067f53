/** Returns the result, or null if it takes too long; the work continues. */
export function orNullAfter<Result>(
  patienceMs: number,
  work: Promise<Result>,
): Promise<Result | null> {
  return new Promise((resolve, reject) => {
    // A result that arrived while this process was busy is in time, so it is read first.
    const timer = setTimeout(() => setImmediate(resolve, null), patienceMs)
    work.then(
      (result) => {
        clearTimeout(timer)
        resolve(result)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
