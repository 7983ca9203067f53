import { listenForNotices } from '../../../subgraphs/shared/database/notices.ts'

/** The notices of a database that a part needs. */
export interface NoticeSubscription {
  readonly url: string
  /** The channels, and the function that each notice of a channel calls. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>
  /** Is called when notices may have been missed. */
  readonly onGap: () => void
}

/**
 * Listens with one connection for each database, whatever the number of parts that need its
 * notices.
 */
export function subscribe(
  subscriptions: readonly NoticeSubscription[],
  resources: AsyncDisposableStack,
): void {
  for (const [url, sharing] of Map.groupBy(subscriptions, (subscription) => subscription.url)) {
    const channels = Object.assign({}, ...sharing.map((subscription) => subscription.channels))
    const notices = listenForNotices({
      ...{ url, channels },
      onGap() {
        for (const { onGap } of sharing) onGap()
      },
    })
    resources.defer(() => notices.close())
  }
}
