/** Operations whose id would not read as a title of two to four words. */
const ownTitles: Readonly<Record<string, string>> = {
  authorize: 'Show an authorization',
  consent: 'Decide on consent',
  token: 'Exchange for tokens',
  revoke: 'Revoke a token',
  introspect: 'Introspect a token',
  checkout: 'Buy a package',
  registerItself: 'Register without key',
  revokeOwnApiKey: 'Revoke API key',
  getOpenapi: 'Get OpenAPI document',
  getOpenidConfiguration: 'Get OpenID configuration',
  getOauthAuthorizationServer: 'Get OAuth server metadata',
  getProtectedResource: 'Get MCP resource metadata',
  decideSimulatedPayment: 'Decide simulated payment',
  getInvoicePdf: 'Download invoice PDF',
  getSignInPreview: 'Preview a sign-in',
  getAddons: 'Get add-ons',
}

const acronyms: Readonly<Record<string, string>> = {
  api: 'API',
  id: 'ID',
  ids: 'IDs',
  jwks: 'JWKS',
  oauth: 'OAuth',
  pdf: 'PDF',
}

/** The title of an operation, of two to four words: `listAuditExports` becomes "List audit exports". */
export function titleOf(operationId: string): string {
  const words = operationId.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
  const [first = '', ...others] = words.map((word) => acronyms[word] ?? word)
  const title =
    ownTitles[operationId] ?? [first.charAt(0).toUpperCase() + first.slice(1), ...others].join(' ')
  const count = title.split(' ').length
  if (count < 2 || count > 4) {
    throw new Error(
      `The title of ${operationId} must have two to four words; titles.ts may name one.`,
    )
  }
  return title
}
