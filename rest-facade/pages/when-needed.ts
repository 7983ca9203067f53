/** Something that is opened at its first use, and then once. */
export interface WhenNeeded<Opened> {
  readonly get: () => Promise<Opened>
  /** The opened object; undefined if it was never needed, or if it could not be opened. */
  readonly opened: () => Promise<Opened | undefined>
}

/** After a failure, the next use tries again. */
export function whenNeeded<Opened>(open: () => Promise<Opened>): WhenNeeded<Opened> {
  let opening: Promise<Opened> | undefined
  return {
    get() {
      opening ??= open().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },
    opened: async () => opening?.catch(() => undefined),
  }
}
