import type { OAuthApp } from 'credit-gateway-sdk'

/** Where an app runs, in words. */
export const kinds: Readonly<Record<OAuthApp['application_type'], string>> = {
  ...{ web: 'on a server', native: 'on devices', spa: 'in the browser' },
}
