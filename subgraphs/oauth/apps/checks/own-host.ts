import type { Environment } from '../../../../schema/credentials/caller.ts'
import { hostNameOf } from './app-hosts.ts'

/**
 * Whether an address leads to the gateway itself, in any scheme. A browser would send the cookie of its session there,
 * and its own pages must not follow addresses that others have written.
 */
export function leadsToGateway(
  address: string,
  baseUrls: Readonly<Record<Environment, string>>,
): boolean {
  const url = URL.parse(address)
  return (
    url !== null && Object.values(baseUrls).some((base) => hostOf(url) === hostOf(new URL(base)))
  )
}

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The host of an address, with its port. The names of loopback are one host. */
export function hostOf(url: URL): string {
  const name = hostNameOf(url)
  return `${loopback.has(name) ? 'loopback' : name}:${url.port}`
}
