import type { Environment } from '../../../schema/credentials/caller.ts'
import type { UsageBatchInput } from '../../../schema/generated/operations.ts'

/** A usage-log entry of a call that has just been answered. */
export interface CallEntry {
  readonly accountId: string
  readonly environment: Environment
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
  /** The code of the failure that it was answered with. */
  readonly errorCode?: string | null
  /** What is kept of the failure beside its code: JSON. */
  readonly errorDetails?: string | null
}

/** Requests of paths without a template are counted together. */
const unknownRoute = '*'

/** The values that many entries have in common. */
type UsageOperation = Required<
  Pick<CallEntry, 'environment' | 'method' | 'route' | 'service' | 'backendModule'>
>

/**
 * A batch as it grows, in the columns of `UsageBatchInput`. Thousands of entries wait at a time, and what waits is
 * copied by the garbage collector: so an entry keeps no object, and of its own only two texts.
 */
export class UsageBatch implements UsageBatchInput {
  /** The place of each kind of request in the list of kinds of its route. */
  readonly #places = new Map<string, { readonly of: UsageOperation; readonly place: number }[]>()
  readonly environments: Environment[] = []
  readonly methods: string[] = []
  readonly routes: string[] = []
  readonly services: string[] = []
  readonly backendModules: string[] = []
  readonly operations: number[] = []
  readonly accountIds: string[] = []
  readonly requestIds: string[] = []
  readonly arrivedAtMs: number[] = []
  /** The endpoint of each entry; null where the endpoint is the route. */
  readonly endpoints: (string | null)[] = []
  readonly statuses: number[] = []
  readonly credits: number[] = []
  readonly latenciesMs: number[] = []
  readonly traceIds: string[] = []
  readonly keyIds: (string | null)[] = []
  /** Rare values are only sent if some entry has them: most batches have none. */
  clientIds?: (string | null)[]
  externalIds?: (string | null)[]
  endUsers?: (string | null)[]
  isSession?: boolean[]
  errorCodes?: (string | null)[]
  errorDetails?: (string | null)[]

  get size(): number {
    return this.requestIds.length
  }

  push(entry: CallEntry): void {
    const { route = unknownRoute, clientId, externalId, endUser, isSession } = entry
    const { errorCode, errorDetails } = entry
    const { size } = this
    this.operations.push(this.#placeOf(entry, route))
    this.accountIds.push(entry.accountId)
    this.requestIds.push(entry.requestId)
    this.arrivedAtMs.push(entry.arrivedAtMs)
    this.endpoints.push(entry.endpoint === entry.route ? null : entry.endpoint)
    this.statuses.push(entry.status)
    this.credits.push(entry.credits)
    this.latenciesMs.push(entry.latencyMs)
    this.traceIds.push(entry.traceId)
    this.keyIds.push(entry.keyId)
    if (clientId) this.clientIds ??= filled(size, null)
    this.clientIds?.push(clientId ?? null)
    if (externalId) this.externalIds ??= filled(size, null)
    this.externalIds?.push(externalId ?? null)
    if (endUser) this.endUsers ??= filled(size, null)
    this.endUsers?.push(endUser ?? null)
    if (isSession) this.isSession ??= filled(size, false)
    this.isSession?.push(isSession ?? false)
    if (errorCode) this.errorCodes ??= filled(size, null)
    this.errorCodes?.push(errorCode ?? null)
    if (errorDetails) this.errorDetails ??= filled(size, null)
    this.errorDetails?.push(errorDetails ?? null)
  }

  at(index: number): CallEntry {
    const place = this.operations[index] ?? 0
    const route = this.routes[place] ?? unknownRoute
    return {
      accountId: this.accountIds[index] ?? '',
      environment: this.environments[place] ?? 'live',
      requestId: this.requestIds[index] ?? '',
      arrivedAtMs: this.arrivedAtMs[index] ?? 0,
      method: this.methods[place] ?? '',
      endpoint: this.endpoints[index] ?? route,
      route,
      service: this.services[place] ?? '',
      status: this.statuses[index] ?? 0,
      credits: this.credits[index] ?? 0,
      latencyMs: this.latenciesMs[index] ?? 0,
      traceId: this.traceIds[index] ?? '',
      backendModule: this.backendModules[place] ?? '',
      keyId: this.keyIds[index] ?? null,
      clientId: this.clientIds?.[index] ?? null,
      externalId: this.externalIds?.[index] ?? null,
      endUser: this.endUsers?.[index] ?? null,
      isSession: this.isSession?.[index] ?? false,
      errorCode: this.errorCodes?.[index] ?? null,
      errorDetails: this.errorDetails?.[index] ?? null,
    }
  }

  /** Two batches with half of the entries each. */
  halves(): readonly [UsageBatch, UsageBatch] {
    const entries = Array.from({ length: this.size }, (_, index) => this.at(index))
    const middle = this.size >> 1
    return [usageBatchOf(entries.slice(0, middle)), usageBatchOf(entries.slice(middle))]
  }

  #placeOf(entry: CallEntry, route: string): number {
    const ofRoute = this.#places.get(route)
    const { environment, method, service, backendModule } = entry
    for (const { of, place } of ofRoute ?? []) {
      const isSame = of.environment === environment && of.method === method
      if (isSame && of.service === service && of.backendModule === backendModule) return place
    }
    const place = this.routes.length
    const known = { of: { environment, method, route, service, backendModule }, place }
    if (ofRoute) ofRoute.push(known)
    else this.#places.set(route, [known])
    this.environments.push(environment)
    this.methods.push(method)
    this.routes.push(route)
    this.services.push(service)
    this.backendModules.push(backendModule)
    return place
  }
}

/** A `UsageBatchInput` of the graph. */
export function usageBatchOf(entries: readonly CallEntry[]): UsageBatch {
  const batch = new UsageBatch()
  for (const entry of entries) batch.push(entry)
  return batch
}

function filled<Value>(length: number, value: Value): Value[] {
  return Array.from({ length }, () => value)
}
