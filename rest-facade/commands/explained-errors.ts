/** Errors that the operator can correct: the message says how, and a stack would only hide it. */
const explainedNames = new Set([
  'ApiError',
  'CatalogError',
  'ConfigError',
  'DigestInvalid',
  'FolderInUse',
  'MigrationFailed',
  'SchemaBehind',
  'UnsafeDatabase',
])
const explainedCodes = new Set([
  'EACCES',
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'EEXIST',
  'ENOENT',
  'ENOTDIR',
  'ENOTFOUND',
  'ETIMEDOUT',
])

export function isExplained(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  return explainedNames.has(error.name) || explainedCodes.has(code)
}
