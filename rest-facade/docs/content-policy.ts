/** Of files that no browser shows as a page. */
export const filePolicy = "default-src 'none'; frame-ancestors 'none'"

const page = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'form-action': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
}

/** Of our own pages: nothing inline, nothing from elsewhere. */
export const pagePolicy = policy(page)

/**
 * Of the reference. Its console sends requests to these addresses, and no others. Scalar has its styles
 * inline, in elements and attributes that it makes as it goes, which no hash names; scripts it has not.
 */
export function referencePolicy(baseUrls: { readonly live: string; readonly sandbox: string }) {
  const origins = new Set([new URL(baseUrls.live).origin, new URL(baseUrls.sandbox).origin])
  return policy({
    ...page,
    'style-src': "'self' 'unsafe-inline'",
    'connect-src': ["'self'", ...origins].join(' '),
  })
}

function policy(directives: Readonly<Record<string, string>>): string {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ')
}
