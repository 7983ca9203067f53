import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'

/** Every address of a name, IPv4 first. Rejects with the resolver's error. */
export type ResolveHost = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Asks the system's name servers directly. getaddrinfo would use one of libuv's four threads, so
 * four names with silent servers would block all other work, file access included. This function
 * ignores /etc/hosts and search domains: names of the internal network have no meaning here.
 */
export async function resolveByDns(
  name: string,
  signal: AbortSignal,
  resolver = new Resolver({ timeout: 2000, tries: 2 }),
): Promise<readonly string[]> {
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const both = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const found = both.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const failed = both.find((one) => one.status === 'rejected')
    // Most hosts have one kind of address only, and the missing kind is reported as an error.
    if (found.length === 0 && failed) throw failed.reason
    return found
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

export function resolveBy(lookup: LookupFunction): ResolveHost {
  return (name) =>
    new Promise((resolve, reject) => {
      lookup(name, { all: true }, (error, found) => {
        if (error) reject(error)
        else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address))
      })
    })
}
