import type { Config } from './config.ts'

/** The public addresses of this gateway: absolute URLs without a trailing slash. */
export interface Addresses {
  readonly baseUrls: { readonly live: string; readonly sandbox: string }
  readonly docsUrl: string
}

/** Returns the configured addresses; `fallback` has the addresses of the own listeners. */
export function addressesOf(
  config: Config,
  fallback: { readonly live: string; readonly sandbox: string } = { live: '', sandbox: '' },
): Addresses {
  const live = withoutTrailingSlash(config.BASE_URL ?? fallback.live)
  const sandbox = withoutTrailingSlash(config.SANDBOX_BASE_URL ?? fallback.sandbox)
  return {
    baseUrls: { live, sandbox },
    docsUrl: withoutTrailingSlash(config.DOCS_URL ?? `${live}/docs`),
  }
}

export function localUrl(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::'
  const name = isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
