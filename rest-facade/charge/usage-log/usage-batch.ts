/** A usage-log entry of a call that has just been answered. */
export interface CallEntry {
  readonly accountId: string
  readonly environment: string
  readonly requestId: string
  /** When the request arrived: milliseconds since 1970. */
  readonly arrivedAtMs: number
  readonly method: string
  readonly endpoint: string
  /** The endpoint with its placeholders. */
  readonly route?: string
  readonly service: string
  readonly status: number
  readonly credits: number
  readonly latencyMs: number
  readonly traceId: string
  readonly backendModule: string
  readonly keyId: string | null
  readonly clientId?: string | null
  readonly externalId?: string | null
  readonly endUser?: string | null
  /** Whether its source is the session of a browser. */
  readonly isSession?: boolean
}

/** Requests of paths without a template are counted together. */
const unknownRoute = '*'

/** The values that many entries have in common. */
type UsageOperation = Required<
  Pick<CallEntry, 'environment' | 'method' | 'route' | 'service' | 'backendModule'>
>

/** Entries in columns, as the input `UsageBatchInput` of the graph. */
export function usageBatchOf(entries: readonly CallEntry[]) {
  const places = new Map<string, number>()
  const common: UsageOperation[] = []
  const operations = entries.map((entry) => {
    const { environment, method, route = unknownRoute, service, backendModule } = entry
    const name = `${environment} ${method} ${service} ${backendModule} ${route}`
    const known = places.get(name)
    if (known !== undefined) return known
    const place = common.push({ environment, method, route, service, backendModule }) - 1
    places.set(name, place)
    return place
  })
  return {
    environments: common.map(({ environment }) => environment),
    methods: common.map(({ method }) => method),
    routes: common.map(({ route }) => route),
    services: common.map(({ service }) => service),
    backendModules: common.map(({ backendModule }) => backendModule),
    operations,
    accountIds: entries.map(({ accountId }) => accountId),
    requestIds: entries.map(({ requestId }) => requestId),
    arrivedAtMs: entries.map(({ arrivedAtMs }) => arrivedAtMs),
    endpoints: entries.map(({ endpoint, route }) => (endpoint === route ? null : endpoint)),
    statuses: entries.map(({ status }) => status),
    credits: entries.map(({ credits }) => credits),
    latenciesMs: entries.map(({ latencyMs }) => latencyMs),
    traceIds: entries.map(({ traceId }) => traceId),
    keyIds: entries.map(({ keyId }) => keyId),
    ...callersOf(entries),
  }
}

/** Rare values are only sent if some entry has them: most batches have none. */
function callersOf(entries: readonly CallEntry[]) {
  return {
    ...(entries.some(({ clientId }) => clientId) && {
      clientIds: entries.map(({ clientId = null }) => clientId),
    }),
    ...(entries.some(({ externalId }) => externalId) && {
      externalIds: entries.map(({ externalId = null }) => externalId),
    }),
    ...(entries.some(({ endUser }) => endUser) && {
      endUsers: entries.map(({ endUser = null }) => endUser),
    }),
    ...(entries.some(({ isSession }) => isSession) && {
      isSession: entries.map(({ isSession = false }) => isSession),
    }),
  }
}
