import { listenForNotices } from '../../../subgraphs/shared/database/notices.ts'

/** What a part wants to hear of a database. */
export interface Ear {
  readonly url: string
  /** Channel → called with each notice. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>
  /** Called when notices may have been missed. */
  readonly onGap: () => void
}

/** Listens with one connection for each database, however many parts hear it. */
export function hear(ears: readonly Ear[], resources: AsyncDisposableStack): void {
  for (const [url, sharing] of Map.groupBy(ears, (ear) => ear.url)) {
    const channels = Object.assign({}, ...sharing.map((ear) => ear.channels))
    const notices = listenForNotices({
      ...{ url, channels },
      onGap() {
        for (const { onGap } of sharing) onGap()
      },
    })
    resources.defer(() => notices.close())
  }
}
