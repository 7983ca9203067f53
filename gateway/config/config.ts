import type { z } from 'zod'
import { unusableCallerKeys } from './caller-secrets.ts'
import { contradictions } from './contradictions.ts'
import { type DatabaseUrls, readDatabases } from './database-urls.ts'
import { oldNameProblems } from './old-names.ts'
import { issuerProblems } from './operator-issuer.ts'
import { paymentProblems } from './payment-variables.ts'
import { commandRole } from './role-names.ts'
import { missingForRole } from './role-variables.ts'
import { withSecretFiles } from './secret-variables.ts'
import { readBackendUrls, readSubgraphUrls } from './service-urls.ts'
import { environment, type Settings } from './variables/environment.ts'
import type { Variables } from './variables/variables.ts'

/** Configuration that cannot be used. Its message has a line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** The databases for requests; a look into them may find further problems. */
  readonly serviceUrls: readonly string[]

  constructor(message: string, serviceUrls: readonly string[] = []) {
    super(message)
    this.serviceUrls = serviceUrls
  }
}

export interface Config extends Settings {
  /** Module → URL, for every `BACKEND_<MODULE>_URL` that is set. */
  readonly backendUrls: ReadonlyMap<string, string>
  /** Subgraph → its database: `<SUBGRAPH>_DATABASE_URL`, else `DATABASE_URL`; empty: embedded. */
  readonly databases: ReadonlyMap<string, DatabaseUrls>
  /** Subgraph → origins of its instances, for every `<SUBGRAPH>_SUBGRAPH_URL` that is set. */
  readonly subgraphUrls: ReadonlyMap<string, readonly string[]>
}

/**
 * Reads the environment once, for a process of this role; throws a ConfigError that lists every
 * problem. An empty variable counts as unset.
 */
export function readConfig(
  variables: Variables,
  backendModules: readonly string[],
  role = 'all',
): Config {
  const { config, known, problems } = inspectConfig(variables, backendModules, role)
  if (config) return config
  const serviceUrls = new Set([...known.databases.values()].map(({ serviceUrl }) => serviceUrl))
  throw new ConfigError(problems.join('\n'), [...serviceUrls])
}

/** The valid part of a configuration, whatever else is wrong with it. */
export type KnownConfig = Partial<Settings> &
  Pick<Config, 'backendUrls' | 'databases' | 'subgraphUrls'>

export interface InspectedConfig {
  /** Null if there are problems. */
  readonly config: Config | null
  readonly known: KnownConfig
  readonly problems: readonly string[]
}

/** Like `readConfig`, but returns the valid part and the problems instead of throwing. */
export function inspectConfig(
  variables: Variables,
  backendModules: readonly string[],
  role: string,
): InspectedConfig {
  const problems: string[] = []
  const present = Object.entries(variables).filter(([, value]) => value !== '')
  const given = withSecretFiles(Object.fromEntries(present), problems)
  const parsed = environment.safeParse(given)
  const partly = environment.partial().safeParse(withoutProblems(given, parsed.error))
  for (const { path, message } of parsed.error?.issues ?? []) {
    problems.push(`${path.join('.')} ${message}`)
  }
  const backendUrls = readBackendUrls(given, backendModules, problems)
  const databases = readDatabases(given, problems)
  const subgraphUrls = readSubgraphUrls(given, problems)
  if (partly.success) problems.push(...contradictions(partly.data))
  problems.push(...missingForRole(role, given), ...unusableCallerKeys(given.CALLER_KEYS_FILE))
  const isWhole = role === 'all' || role === commandRole
  if (isWhole && databases.size > 0 && given.GATEWAY_SECRET === undefined) {
    problems.push('GATEWAY_SECRET is required with DATABASE_URL: every process must use the same')
  }
  problems.push(...paymentProblems(given, role, databases.size > 0), ...oldNameProblems(given))
  problems.push(...issuerProblems(given, partly.success ? partly.data : {}))
  const understood = partly.success ? partly.data : {}
  const known = { ...understood, backendUrls, databases, subgraphUrls }
  if (!parsed.success || problems.length > 0) return { config: null, known, problems }
  return { config: Object.freeze({ ...known, ...parsed.data }), known, problems }
}

/** The configuration without the variables that have a problem. */
function withoutProblems(given: object, error: z.ZodError | undefined): object {
  const names = new Set(error?.issues.map(({ path }) => path[0]))
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)))
}
