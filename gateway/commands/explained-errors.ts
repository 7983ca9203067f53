/** Errors that the operator can correct: the message says how, and a stack would only hide it. */
const explainedNames = new Set([
  'ApiError',
  'CatalogError',
  'ConfigError',
  'DigestInvalid',
  'FolderInUse',
  'MigrationFailed',
  'OtherBaseline',
  'PriceListError',
  'SchemaBehind',
  'UnsafeDatabase',
])
const explainedCodes = new Set([
  'EACCES',
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'ECONNRESET',
  'EEXIST',
  'ENOENT',
  'ENOTDIR',
  'ENOTFOUND',
  'ETIMEDOUT',
  // PostgreSQL was shut down.
  '57P01',
])
/** Messages of pg for lost connections: pg gives these errors no code. */
const lostConnection = /^(Connection terminated|timeout expired)/

export function isExplained(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    explainedNames.has(error.name) || explainedCodes.has(code) || lostConnection.test(error.message)
  )
}
