import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { PostgresBinaries } from '../../gateway/trial/embedded-postgres/postgres-process.ts'
import { binariesIn } from '../../test/support/database/postgres-binaries.ts'
import type { Cut } from './plan/cut.ts'

/** What `npm run histories` is asked for. */
export interface HistoriesArguments {
  readonly seeds: readonly number[]
  readonly seconds: number
  /** The binaries of a PostgreSQL that is not the embedded one. */
  readonly binaries: PostgresBinaries | undefined
  /** With faults of the machine too. */
  readonly isHard: boolean
  /** The part of the plan that is played; what it lacks is as planned. */
  readonly part: Partial<Cut>
  /** How many smaller parts of a failing seed are tried. */
  readonly shrinkTries: number
}

/** Something that cannot be done as asked: said on stderr, with exit code 2. */
export class CannotPlay extends Error {
  override readonly name = 'CannotPlay'
}

const mostSeeds = 100_000
const mostSeconds = 3600
const greatestSeed = 2 ** 31 - 1

/** Without `--seed` the first seed is a new one, and those after it follow. */
export async function readArguments(args: readonly string[]): Promise<HistoriesArguments> {
  const { seeds, seconds, seed, postgres, hard, accounts, faults, until, shrink } = parse(args)
  const first = integer('--seed', seed, { min: 0, max: greatestSeed - mostSeeds })
  const count = integer('--seeds', seeds, { min: 1, max: mostSeeds })
  return {
    seeds: Array.from({ length: count }, (_, index) => first + index),
    seconds: integer('--seconds', seconds, { min: 3, max: mostSeconds }),
    binaries: postgres === undefined ? undefined : await requireBinaries(resolve(postgres)),
    isHard: hard,
    shrinkTries: integer('--shrink', shrink, { min: 0, max: 1000 }),
    part: {
      ...(accounts === undefined ? {} : { accounts: places('--accounts', accounts) }),
      ...(faults === undefined ? {} : { faults: places('--faults', faults) }),
      ...(until === undefined ? {} : { untilMs: milliseconds('--until', until) }),
    },
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        seeds: { type: 'string', default: '1' },
        seconds: { type: 'string', default: '10' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        postgres: { type: 'string' },
        hard: { type: 'boolean', default: false },
        accounts: { type: 'string' },
        faults: { type: 'string' },
        until: { type: 'string' },
        shrink: { type: 'string', default: '20' },
      },
    }).values
  } catch (error) {
    throw new CannotPlay(error instanceof Error ? error.message : String(error))
  }
}

function integer(
  name: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= min && value <= max) return value
  throw new CannotPlay(`${name} is an integer from ${min} to ${max}, not ${text}.`)
}

/** Numbers from 0 on, separated by commas. */
function places(name: string, text: string): number[] {
  if (text === 'none') return []
  if (/^\d+(,\d+)*$/.test(text)) return text.split(',').map(Number)
  throw new CannotPlay(`${name} is none or a list of places, such as 0,3, not ${text}.`)
}

function milliseconds(name: string, text: string): number {
  if (/^\d+(\.\d{1,3})?$/.test(text)) return Math.round(Number(text) * 1000)
  throw new CannotPlay(`${name} is a number of seconds, such as 2.5, not ${text}.`)
}

async function requireBinaries(folder: string): Promise<PostgresBinaries> {
  const [postgres, initdb] = [join(folder, 'postgres'), join(folder, 'initdb')]
  if (!existsSync(postgres) || !existsSync(initdb)) {
    throw new CannotPlay(`--postgres is a folder with postgres and initdb, not ${folder}.`)
  }
  return binariesIn(folder)
}
