import type { Fault } from './plan.ts'
import type { Random } from './random.ts'

const warmUpMs = 700
/** The database is killed at least once, and so is a gateway. */
const surely = ['kill postgres', 'kill gateway', 'lose acknowledgements'] as const
const kinds = [
  'kill gateway',
  'stop gateway',
  'stop gateway',
  'kill postgres',
  'kill one backend of postgres',
  'delay',
  'delay',
  'cut connections',
  'cut connections',
  'black hole',
  'lose acknowledgements',
  'lose acknowledgements',
  'lose requests',
] as const

/** Faults of a hard run, which has those of the machine too, each at least once. */
const hardSurely = [...surely, 'fill disk', 'kill redis'] as const
const hardKinds = [...kinds, 'fill disk', 'kill redis'] as const

const everyMs = 1600

/** Makes the faults, which overlap at will. */
export function makeFaults(random: Random, endMs: number, isHard: boolean): readonly Fault[] {
  const first = isHard ? hardSurely : surely
  const count = Math.max(first.length, Math.round(endMs / everyMs))
  const all = isHard ? hardKinds : kinds
  const chosen = Array.from({ length: count }, (_, index) => first[index] ?? random.pick(all))
  const faults = chosen.map((kind): Fault => {
    const atMs = warmUpMs + Math.round(random.next() * (endMs - warmUpMs))
    const gateway = random.chance(0.5) ? 0 : 1
    switch (kind) {
      case 'kill gateway':
        return { kind, gateway, atMs, lastsMs: random.integer(0, 500) }
      case 'stop gateway':
        return { kind, gateway, atMs, lastsMs: random.integer(200, 1500) }
      case 'kill postgres': {
        const signal = random.chance(0.5) ? 'SIGKILL' : 'SIGQUIT'
        return { kind, signal, atMs, lastsMs: random.integer(0, 700) }
      }
      case 'kill one backend of postgres':
        return { kind, atMs, lastsMs: 0 }
      case 'fill disk':
        return { kind, atMs, lastsMs: random.integer(300, 1500) }
      case 'kill redis':
        return { kind, atMs, lastsMs: random.integer(100, 2500) }
      case 'delay': {
        const delayMs = random.integer(5, 150)
        return { kind, gateway, delayMs, atMs, lastsMs: random.integer(300, 2000) }
      }
      case 'cut connections':
        return { kind, gateway, atMs, lastsMs: random.integer(0, 300) }
      case 'black hole':
        return { kind, gateway, atMs, lastsMs: random.integer(200, 1200) }
      default: {
        const share = random.pick([0.02, 0.05, 0.2])
        return { kind, gateway, share, atMs, lastsMs: random.integer(500, 2500) }
      }
    }
  })
  return faults.toSorted((a, b) => a.atMs - b.atMs)
}
