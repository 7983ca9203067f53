import { reasonsAgainst } from '../../subgraphs/shared/database/unsafe-database.ts'
import { ConfigError } from './config.ts'

/** Wrong configuration, with what the databases that it names have against it too: all at once. */
export async function withDatabaseReasons({
  message,
  serviceUrls,
}: ConfigError): Promise<ConfigError> {
  // One that does not answer is told of once the configuration is right.
  const reasons = await Promise.all(serviceUrls.map((url) => reasonsAgainst(url).catch(() => [])))
  return new ConfigError([...new Set([message, ...reasons.flat()])].join('\n'))
}
