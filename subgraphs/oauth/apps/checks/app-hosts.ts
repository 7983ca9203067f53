/** With dots at its end, a name is the same host. */
export function hostNameOf({ hostname }: URL): string {
  return hostname.replace(/\.+$/, '')
}

/**
 * The hosts by which an operator can deny an app: that of its document, and those that https redirects lead to. Every
 * app may use the loopback of http, and private-use schemes.
 */
export function hostsOfApp(
  documentAddress: string | null,
  redirectUris: readonly string[],
): string[] {
  const redirects = redirectUris.map((uri) => new URL(uri))
  const urls = redirects.filter(({ protocol }) => protocol === 'https:')
  if (documentAddress !== null) urls.unshift(new URL(documentAddress))
  return [...new Set(urls.map(hostNameOf))]
}
