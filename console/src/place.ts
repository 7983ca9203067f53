/** The path of the console: `/console/`, below the path of the gateway if it has one. */
const here = import.meta.url
export const root = new URL('../', here)

/** The address of the gateway, without a slash at its end. */
export const gatewayUrl = new URL('..', root).href.replace(/\/$/, '')

/** The nonce of the policy: it permits the style elements that libraries add. */
export const styleNonce =
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''
