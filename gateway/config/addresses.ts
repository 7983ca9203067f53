import type { Settings } from './variables/environment.ts'

/** The public addresses of this gateway: absolute URLs without a trailing slash. */
export interface Addresses {
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
}

/**
 * Returns the configured addresses; `fallback` has the addresses of the own listeners. The links of a trial name this
 * machine: browsers keep passkeys for names alone.
 */
export function addressesOf(
  config: Pick<Settings, 'BASE_URL' | 'SANDBOX_BASE_URL' | 'DOCS_URL'> & {
    readonly databases?: { readonly size: number }
  },
  fallback: { readonly live: string; readonly sandbox: string } = { live: '', sandbox: '' },
): Addresses {
  const own = config.databases?.size === 0 ? byName : unchanged
  const live = withoutTrailingSlash(config.BASE_URL ?? own(fallback.live))
  const sandbox = withoutTrailingSlash(config.SANDBOX_BASE_URL ?? own(fallback.sandbox))
  return {
    baseUrls: { live, sandbox },
    docsUrl: withoutTrailingSlash(config.DOCS_URL ?? `${live}/docs`),
  }
}

const unchanged = (url: string) => url

function byName(url: string): string {
  return url.replace('//127.0.0.1:', '//localhost:')
}

export function localUrl(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

export function isPlainHttp(text: string | undefined): boolean {
  return text !== undefined && new URL(text).protocol === 'http:' && !isLocal(text)
}

/** Whether the address is on this machine; an unset one is our own listener. */
export function isLocal(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || isLoopbackHost(new URL(baseUrl).hostname)
}

/** Whether only this machine can reach this address. */
export function isLoopbackHost(host: string): boolean {
  return ['localhost', '127.0.0.1', '::1', '[::1]'].includes(host)
}

type Reach = Pick<Settings, 'HOST' | 'BASE_URL' | 'SANDBOX_BASE_URL'>

/** Whether all clients are on this machine: all addresses of the gateway are on loopback. */
export function servesOwnMachine(config: Partial<Reach>): boolean {
  const { HOST = '127.0.0.1', BASE_URL, SANDBOX_BASE_URL } = config
  return isLoopbackHost(HOST) && isLocal(BASE_URL) && isLocal(SANDBOX_BASE_URL)
}
