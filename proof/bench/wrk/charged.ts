import {
  type CostSlice,
  measureAllocatedBytes,
  measureCost,
  measureProxy,
  type ProxySlice,
  type Sides,
} from '../cost/call-cost.ts'
import { type BenchContext, median, type Row } from '../support/bench.ts'
import { perSecond } from '../support/compare.ts'

/** How a charged call is sent, and its goals. */
export interface ChargedWay {
  readonly name: string
  readonly hasFreshKeys: boolean
  readonly goals: {
    /** The greatest multiples of the proxy's CPU time. */
    readonly gateway: number
    readonly postgres: number
    /** The least of the proxy's calls in a second. */
    readonly share: number
    /** For each call; null without a goal. */
    readonly allocatedBytes: number | null
  }
}

interface MeasuredWay {
  readonly way: ChargedWay
  readonly slices: readonly CostSlice[]
  readonly allocatedBytes: readonly number[]
}

interface Measured {
  readonly ways: readonly MeasuredWay[]
  readonly proxy: readonly ProxySlice[]
}

/** The proxy, the first way, the proxy, the second way …; what each allocates in slices of their own. */
export async function measureWays(
  context: BenchContext,
  sides: Sides,
  ways: readonly ChargedWay[],
): Promise<Measured> {
  const measured = ways.map((way) => ({
    way,
    target: { ...sides.reveal, hasFreshKeys: way.hasFreshKeys },
    slices: [] as CostSlice[],
    allocatedBytes: [] as number[],
  }))
  const proxy: ProxySlice[] = []
  for (let round = 0; round < context.slices; round += 1) {
    for (const { target, slices, allocatedBytes } of measured) {
      proxy.push(await measureProxy(context, sides.proxyPid, sides.proxied))
      slices.push(await measureCost(context, sides, target))
      allocatedBytes.push(await measureAllocatedBytes(context, sides, target))
    }
  }
  return { ways: measured, proxy }
}

export function rowsOfWay(measured: MeasuredWay, proxy: readonly ProxySlice[]): readonly Row[] {
  const { way, slices, allocatedBytes } = measured
  const { name, goals } = way
  const of = (figure: 'gatewayUs' | 'postgresUs' | 'perSecond') =>
    median(slices.map((slice) => slice[figure]))
  const proxyUs = median(proxy.map((slice) => slice.proxyUs))
  const proxyPerSecond = median(proxy.map((slice) => slice.perSecond))
  const share = of('perSecond') / proxyPerSecond
  const kilobytes = median(allocatedBytes) / 1000
  const most = goals.allocatedBytes === null ? null : goals.allocatedBytes / 1000
  const rest = { problems: slices.flatMap(({ problems }) => problems), measured: { slices, proxy } }
  return [
    costRow(`CPU gateway, ${name}`, of('gatewayUs'), proxyUs, goals.gateway, rest),
    costRow(`CPU PostgreSQL, ${name}`, of('postgresUs'), proxyUs, goals.postgres, rest),
    {
      bench: `WRK calls, ${name} / proxy`,
      goal: `≥ ${goals.share.toFixed(2)}`,
      ours: perSecond(of('perSecond')),
      floor: perSecond(proxyPerSecond),
      value: share.toFixed(2),
      isMet: share >= goals.share,
      ...rest,
    },
    {
      bench: `WRK allocated for a call, ${name}`,
      goal: most === null ? '–' : `≤ ${most} kB`,
      ours: `${kilobytes.toFixed(1)} kB`,
      ...{ floor: '–', value: '–', problems: [], measured: allocatedBytes },
      isMet: most === null ? null : kilobytes <= most,
    },
  ]
}

interface HalfLoad {
  readonly rate: number
  readonly ours: readonly CostSlice[]
  readonly proxy: readonly ProxySlice[]
}

const maxHalfLoadMultiple = 4.4

/** Half of the calls in a second of the first way, for the gateway and for the proxy. */
export async function measureHalfLoad(
  context: BenchContext,
  sides: Sides,
  { ways }: Measured,
): Promise<HalfLoad> {
  const rate = Math.round(median((ways[0]?.slices ?? []).map((slice) => slice.perSecond)) / 2)
  const ours: CostSlice[] = []
  const proxy: ProxySlice[] = []
  for (let round = 0; round < context.slices; round += 1) {
    ours.push(await measureCost(context, sides, { ...sides.reveal, perSecond: rate }))
    proxy.push(await measureProxy(context, sides.proxyPid, { ...sides.proxied, perSecond: rate }))
  }
  return { rate, ours, proxy }
}

export function halfLoadRow({ rate, ours, proxy }: HalfLoad): Row {
  const oursUs = median(ours.map(({ gatewayUs, postgresUs }) => gatewayUs + postgresUs))
  const proxyUs = median(proxy.map((slice) => slice.proxyUs))
  const what = `CPU gateway and PostgreSQL, reveal at ${rate}/s`
  return costRow(what, oursUs, proxyUs, maxHalfLoadMultiple, {
    problems: ours.flatMap(({ problems }) => problems),
    measured: { ours, proxy },
  })
}

function costRow(
  what: string,
  us: number,
  proxyUs: number,
  goal: number,
  rest: Pick<Row, 'problems' | 'measured'>,
): Row {
  return {
    bench: `WRK ${what} / proxy`,
    goal: `≤ ${goal.toFixed(2)}`,
    ours: `${Math.round(us)} µs`,
    floor: `${proxyUs.toFixed(1)} µs`,
    value: (us / proxyUs).toFixed(2),
    isMet: us / proxyUs <= goal,
    ...rest,
  }
}
