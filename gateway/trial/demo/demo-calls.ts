import { randomBytes } from 'node:crypto'
import { routes } from '../../../rest-facade/routes/index.ts'
import { subgraphOf } from '../../../rest-facade/routes/kinds/operation-area.ts'
import { serviceOf, templateOf } from '../../../rest-facade/routes/kinds/route.ts'
import type { Catalog } from '../../../schema/catalog/load-catalog.ts'
import type { Operation } from '../../../schema/catalog/operation.ts'
import { type ErrorCode, statusByErrorCode } from '../../../schema/vocabulary/error-codes.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'

/** An invented request, in the form of the usage log. */
export interface DemoCall {
  readonly requestId: string
  readonly ts: Date
  readonly method: string
  readonly endpoint: string
  readonly route: string
  readonly service: string
  readonly status: number
  readonly errorCode?: ErrorCode
  readonly credits: number
  readonly latencyMs: number
  readonly traceId: string
  readonly backendModule: string
}

/** Returns a random number: 0 ≤ number < 1. */
export type Random = () => number

/** Random numbers that are the same at every start: mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Habit {
  /** The frequency, relative to the others. */
  readonly share: number
  readonly latencyMs: number
  /** The smallest and the largest number of units, for a price per unit. */
  readonly units?: readonly [number, number]
}

/** Habits by operation id; paths, prices and statuses come from the catalog. */
const productHabits: Readonly<Record<string, Habit>> = {
  searchContacts: { share: 16, latencyMs: 160, units: [0, 18] },
  revealContact: { share: 13, latencyMs: 210 },
  getContact: { share: 9, latencyMs: 25 },
  createSend: { share: 1.6, latencyMs: 320, units: [6, 90] },
  getSend: { share: 4, latencyMs: 30 },
  listKeywords: { share: 5, latencyMs: 120 },
  createAudit: { share: 1.2, latencyMs: 90 },
  getAudit: { share: 4, latencyMs: 35 },
  listSegments: { share: 3, latencyMs: 140 },
  createReport: { share: 0.4, latencyMs: 110 },
  createDraft: { share: 2, latencyMs: 780 },
  getDraft: { share: 3, latencyMs: 30 },
  createFile: { share: 3, latencyMs: 60 },
  listFiles: { share: 3, latencyMs: 25 },
  listReviews: { share: 6, latencyMs: 95, units: [0, 14] },
  createReply: { share: 3, latencyMs: 130 },
  listVisitors: { share: 4, latencyMs: 110, units: [1, 30] },
  getCompany: { share: 4, latencyMs: 70 },
}

/** Habits by the path of a route; all these routes are reads. */
const accountHabits: Readonly<Record<string, Habit>> = {
  '/account': { share: 2, latencyMs: 5 },
  '/account/credits': { share: 5, latencyMs: 4 },
  '/account/overview': { share: 3, latencyMs: 11 },
  '/account/billing': { share: 1, latencyMs: 12 },
  '/account/usage/log': { share: 2, latencyMs: 9 },
  '/account/keys': { share: 0.5, latencyMs: 6 },
  '/account/addons/rank-tracking/keywords': { share: 1.5, latencyMs: 6 },
  '/billing/invoices': { share: 0.6, latencyMs: 6 },
}

/** An endpoint of a product service or of the gateway itself. */
interface Kind extends Pick<DemoCall, 'method' | 'service' | 'backendModule' | 'status'> {
  /** The path of the route, with {placeholders}. */
  readonly path: string
  readonly habit: Habit
  readonly hasBody: boolean
  /** Whether a call can cost credits. */
  readonly isPriced: boolean
  readonly creditsOf: (random: Random) => number
}

function productKinds({ services }: Catalog): Kind[] {
  return services
    .flatMap(({ operations }) => operations)
    .flatMap((operation) => {
      const habit = productHabits[operation.id]
      return habit ? [toKind(operation, habit)] : []
    })
}

function toKind({ service, path, price, response, ...operation }: Operation, habit: Habit): Kind {
  const { units: [fewest, most] = [1, 1] } = habit
  return {
    ...{ method: operation.method, service, backendModule: operation.backendModule, habit },
    path: `/v1/${service}${path}`,
    status: response.status,
    ...{ hasBody: operation.request.hasBody, isPriced: price.maximum > 0 },
    creditsOf(random) {
      if (price.unitsAt === null) return price.maximum
      // Small requests are more frequent than large ones.
      const units = fewest + Math.floor(random() * random() * (most - fewest + 1))
      return Math.min(price.maximum, units * price.creditsPerUnit)
    },
  }
}

function accountKinds(): Kind[] {
  return Object.entries(accountHabits).map(([path, habit]) => routeKind('get', path, habit))
}

function routeKind(method: string, path: string, habit: Habit): Kind {
  const route = routes.find((row) => row.method === method && row.path === path)
  if (!route) throw new Error(`There is no ${method} ${path}.`)
  return {
    ...{ method: method.toUpperCase(), path: templateOf(route), service: serviceOf(path), habit },
    ...{ backendModule: `subgraph:${subgraphOf(route.operation)}`, status: route.status ?? 200 },
    ...{ hasBody: false, isPriced: false, creditsOf: () => 0 },
  }
}

/** A successful call to an endpoint of the account itself, at a given time. */
export function pastCall(method: string, path: string, at: Date, random: Random): DemoCall {
  const kind = routeKind(method, path, { share: 0, latencyMs: 14 })
  return toCall(kind, { ...successOf(kind, random), atMs: at.getTime() })
}

/** The calls of an application in a few weeks, up to a minute ago, in order of time. */
export function pastCalls(catalog: Catalog, nowMs: number, random: Random): DemoCall[] {
  const kinds = [...productKinds(catalog), ...accountKinds()]
  const whole = kinds.reduce((sum, { habit }) => sum + habit.share, 0)

  function anyKind(): Kind {
    let rest = random() * whole
    const found = kinds.find(({ habit }) => {
      rest -= habit.share
      return rest < 0
    })
    const [first] = kinds
    if (!first) throw new Error('The catalog has no endpoint to call.')
    return found ?? first
  }

  return arrivals(nowMs, random).map((atMs) => {
    const kind = anyKind()
    const outcome = failureOf(kind, random) ?? successOf(kind, random)
    return toCall(kind, { ...outcome, atMs })
  })
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
const days = 42
const callsPerDay = 62
/** The share of calls on each day, from Sunday to Saturday. */
const shareOfWeekday = [0.16, 1, 1.1, 1.15, 1.05, 0.9, 0.22]
/** The hours from midnight UTC. */
const shareOfHour = [
  1, 1, 1, 1, 1, 2, 4, 9, 17, 22, 24, 22, 15, 20, 24, 22, 18, 12, 7, 5, 4, 3, 2, 1,
]
const latestCalls = 24
const latestMs = 3 * hourMs

/**
 * The times of calls: many in working hours and each week, few in nights and weekends, and always a recent
 * one.
 */
function arrivals(nowMs: number, random: Random): number[] {
  const untilMs = nowMs - minuteMs
  const todayMs = nowMs - (nowMs % dayMs)
  const times = Array.from({ length: latestCalls }, () => untilMs - random() * latestMs)
  for (let day = 0; day < days; day += 1) {
    const startMs = todayMs - (days - 1 - day) * dayMs
    const weekday = shareOfWeekday[new Date(startMs).getUTCDay()] ?? 1
    const count = callsPerDay * weekday * (0.6 + (0.8 * day) / days) * (0.85 + 0.3 * random())
    for (let call = 0; call < count; call += 1) times.push(startMs + timeOfDayMs(random))
  }
  return times
    .filter((atMs) => atMs <= untilMs)
    .map(Math.floor)
    .sort((a, b) => a - b)
}

const wholeDay = shareOfHour.reduce((sum, share) => sum + share, 0)

function timeOfDayMs(random: Random): number {
  let rest = random() * wholeDay
  const hour = shareOfHour.findIndex((share) => {
    rest -= share
    return rest < 0
  })
  return (Math.max(0, hour) + random()) * hourMs
}

interface Outcome {
  readonly status: number
  readonly errorCode?: ErrorCode
  readonly latencyMs: number
  readonly credits: number
}

function successOf({ status, habit, creditsOf }: Kind, random: Random): Outcome {
  // Most answers take about the usual time, some several times as long.
  const latencyMs = Math.ceil(habit.latencyMs * (0.6 - 0.5 * Math.log(1 - random())))
  return { status, latencyMs, credits: creditsOf(random) }
}

/** Some calls fail, by the request, its caller, its object or the backend; they cost nothing. */
function failureOf(kind: Kind, random: Random): Outcome | null {
  const { path, hasBody, isPriced, backendModule, habit } = kind
  const luck = random()
  const isProduct = !backendModule.startsWith('subgraph:')
  const failed = (errorCode: ErrorCode, latencyMs: number) => ({
    ...{ status: statusByErrorCode[errorCode], errorCode },
    ...{ latencyMs, credits: 0 },
  })
  if (luck < 0.005) return failed('RATE_LIMIT_EXCEEDED', 1)
  if (luck < 0.045 && path.includes('{'))
    return failed('NOT_FOUND', Math.ceil(habit.latencyMs * 0.7))
  if (luck < 0.03 && hasBody) return failed('INVALID_REQUEST', 3)
  if (luck >= 0.045 && luck < 0.049 && isProduct) return failed('FORBIDDEN', 2)
  if (luck >= 0.049 && luck < 0.055 && isPriced) return failed('BUDGET_EXCEEDED', 4)
  if (luck > 0.998 && isProduct) return failed('BACKEND_TIMEOUT', 10_004)
  if (luck > 0.993 && isProduct) return failed('BACKEND_ERROR', habit.latencyMs * 2)
  return null
}

function toCall(kind: Kind, { atMs, ...outcome }: Outcome & { readonly atMs: number }): DemoCall {
  const { method, path, service, backendModule } = kind
  return {
    ...outcome,
    ...{ method, service, backendModule, ts: new Date(atMs), requestId: newId('req', atMs) },
    route: path,
    endpoint: path.replaceAll(/\{(\w+)_id\}/g, (_, name: string) => someId(name)),
    traceId: randomBytes(16).toString('hex'),
  }
}

/** Ids in the form of the backend modules. */
const idPrefixes: Readonly<Record<string, string>> = {
  contact: 'con',
  send: 'snd',
  audit: 'aud',
  draft: 'dft',
  company: 'cmp',
}

function someId(name: string): string {
  return `${idPrefixes[name] ?? name}_${randomBytes(8).toString('hex')}`
}
