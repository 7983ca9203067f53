/** The policy of files that browsers do not show as pages. */
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

/** The policy of our own pages: nothing inline, nothing from other origins. */
export const pagePolicy = policy(page)

/**
 * The policy of the reference. Its console sends requests only to these addresses. Scalar creates
 * inline styles while it runs, so no hash can permit them. It has no inline scripts.
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
