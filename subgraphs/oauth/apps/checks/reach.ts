import { hostOf } from './own-host.ts'

/** Where the answers of an app go, and what it may ask for. */
export interface Reach {
  readonly redirectUris: readonly string[]
  readonly scopes: readonly string[]
}

/** Whether a change of an app adds a redirect host or a scope. Fewer of them, and another path, reach nothing new. */
export function isWider(before: Reach, after: Reach): boolean {
  const targets = new Set(before.redirectUris.map(targetOf))
  return (
    after.redirectUris.some((uri) => !targets.has(targetOf(uri))) ||
    after.scopes.some((scope) => !before.scopes.includes(scope))
  )
}

/** Who gets the answer: a host with its port, or the programs that have a private-use scheme. */
function targetOf(uri: string): string {
  const url = new URL(uri)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb ? `${url.protocol}//${hostOf(url)}` : url.protocol
}
