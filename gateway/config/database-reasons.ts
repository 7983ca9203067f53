import { reasonsAgainst } from '../../subgraphs/shared/database/unsafe-database.ts'
import { ConfigError } from './config.ts'

/** Adds the problems of the configured databases to the error, so that all are told at once. */
export async function withDatabaseReasons({
  message,
  serviceUrls,
}: ConfigError): Promise<ConfigError> {
  // A database that does not answer is reported when the configuration is right.
  const reasons = await Promise.all(serviceUrls.map((url) => reasonsAgainst(url).catch(() => [])))
  return new ConfigError([...new Set([message, ...reasons.flat()])].join('\n'))
}
