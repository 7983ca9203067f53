import type { Environment } from '../../../../schema/credentials/caller.ts'

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

/** With a dot at its end, a name is the same host. */
function hostOf({ hostname, port }: URL): string {
  return `${hostname.replace(/\.$/, '')}:${port}`
}
