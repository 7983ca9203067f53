import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../test/support/time/until.ts'
import type { Outage } from '../model/history.ts'
import type { Fault, Plan } from '../plan/plan.ts'
import { createRandom, type Random } from '../plan/random.ts'
import { nowMs, untilMs } from './clock.ts'
import type { GatewayProcess, Stage } from './stage.ts'

/** Makes every fault at its time and ends it; resolves to what was down, once everything is up again. */
export async function injectFaults(
  { faults, seed }: Plan,
  stage: Stage,
  beganMs: number,
): Promise<readonly Outage[]> {
  const { gateways, postgres, redis } = stage
  const outages: Outage[] = []
  // Two kills of one thing follow each other: it has to be up to be killed.
  const turns = new Map<string, Promise<unknown>>()
  const random = createRandom(seed)

  function inTurn(what: string, work: () => Promise<void>): Promise<void> {
    const turn = (turns.get(what) ?? Promise.resolve()).then(async () => {
      const startMs = nowMs()
      await work()
      outages.push({ what, startMs, endMs: nowMs() })
    })
    turns.set(what, turn)
    return turn
  }

  async function inject(fault: Fault): Promise<void> {
    await untilMs(beganMs + fault.atMs)
    if (fault.kind === 'kill postgres') {
      return inTurn('postgres', async () => {
        await postgres.crash(fault.signal)
        await sleep(fault.lastsMs)
        await postgres.start()
      })
    }
    if (fault.kind === 'kill one backend of postgres') {
      return inTurn('postgres', async () => {
        // The gateways may have no connection at this moment.
        await postgres.killOneBackend().catch(() => {})
        // The server ends all other connections too, and recovers.
        await until(() => isAnswering(postgres.database))
      })
    }
    if (fault.kind === 'fill disk') return inTurn('postgres', () => fillDisk(stage, fault.lastsMs))
    if (fault.kind === 'kill redis') {
      return inTurn('redis', async () => {
        await redis?.kill()
        await sleep(fault.lastsMs)
        await redis?.start()
      })
    }
    const gateway = gateways[fault.gateway]
    if (fault.kind === 'kill gateway') {
      return inTurn(gateway.name, async () => {
        await gateway.kill()
        await sleep(fault.lastsMs)
        await gateway.startAgain()
      })
    }
    if (fault.kind === 'stop gateway') {
      gateway.signal('SIGSTOP')
      await sleep(fault.lastsMs)
      gateway.signal('SIGCONT')
      return
    }
    return disturb(gateway, fault, random)
  }

  await Promise.all(faults.map(inject))
  for (const { proxy } of gateways) {
    proxy.judge(null)
    proxy.set('pass')
  }
  return outages
}

/** Without room for its log PostgreSQL ends, as after a crash. */
async function fillDisk({ disk, postgres }: Stage, lastsMs: number): Promise<void> {
  disk?.fill()
  await sleep(lastsMs)
  disk?.clear()
  await until(async () => {
    if (!postgres.isRunning()) await postgres.start()
    return isAnswering(postgres.database)
  })
}

/** Harms the connections of a gateway to its database for a time. */
async function disturb({ proxy }: GatewayProcess, fault: Fault, random: Random): Promise<void> {
  switch (fault.kind) {
    case 'delay':
      proxy.set({ delayMs: fault.delayMs })
      break
    case 'black hole':
      proxy.set('black hole')
      break
    case 'cut connections':
      proxy.set('refuse')
      break
    case 'lose acknowledgements':
    case 'lose requests': {
      const harm = fault.kind === 'lose requests' ? 'lose the request' : 'cut the reply'
      const { share } = fault
      proxy.judge(() => (random.chance(share) ? harm : null))
      break
    }
  }
  await sleep(fault.lastsMs)
  if (fault.kind.startsWith('lose')) {
    proxy.judge(null)
    return
  }
  // A connection that goes on where bytes of it were lost would be no connection of TCP.
  if (fault.kind === 'black hole') proxy.set('reset')
  proxy.set('pass')
}

function isAnswering(database: Stage['postgres']['database']): Promise<boolean> {
  return database.query('SELECT 1').then(
    () => true,
    () => false,
  )
}
