import { parseArgs } from 'node:util'
import { readApiDocument } from '../../test/support/conformity/api-document.ts'
import { isFuzzed } from './kinds.ts'

/** What `npm run fuzz` is asked for. */
export interface FuzzArguments {
  readonly cases: number
  readonly seed: number
  /** See `FuzzOptions`. */
  readonly only?: string
  readonly path?: string
  /** Large requests, and what comes out for what goes in (test/README.md). */
  readonly amplification?: true
}

/** Something that cannot be done as asked: said on stderr, with exit code 2. */
export class CannotFuzz extends Error {
  override readonly name = 'CannotFuzz'
}

const mostCases = 10_000_000
/** fast-check takes 32 bits. */
const greatestSeed = 2 ** 31 - 1

/** Throws CannotFuzz where nothing, or something else, would be tried. */
export function readFuzzArguments(args: readonly string[]): FuzzArguments {
  const { cases, seed, only, path, amplification } = parse(args)
  const numbers = {
    cases: integer('--cases', cases, { min: 1, max: mostCases }),
    seed: integer('--seed', seed, { min: -greatestSeed - 1, max: greatestSeed }),
  }
  if (amplification && path === undefined) return { ...numbers, only, amplification }
  if (only !== undefined && !isKnown(only)) {
    const form = '<operation> or <operation>/<kind>, such as issueApiKey/invalid'
    throw new CannotFuzz(`--only is ${form}: there is no ${only}.`)
  }
  if (path === undefined) return { ...numbers, only }
  if (!only?.includes('/')) {
    throw new CannotFuzz('--path is of one property: --only <operation>/<kind> must name it.')
  }
  if (/^\d+(:\d+)*$/.test(path)) return { ...numbers, only, path }
  throw new CannotFuzz(`--path is numbers with colons between them, not ${path}.`)
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        cases: { type: 'string', default: '5000' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        only: { type: 'string' },
        path: { type: 'string' },
        amplification: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    throw new CannotFuzz(error instanceof Error ? error.message : String(error))
  }
}

function integer(
  name: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number {
  const value = Number(text)
  if (/^-?\d+$/.test(text) && value >= min && value <= max) return value
  throw new CannotFuzz(`${name} is an integer from ${min} to ${max}, not ${text}.`)
}

function isKnown(only: string): boolean {
  const [id, kind, ...others] = only.split('/')
  const operation = readApiDocument().operations.find((one) => one.id === id)
  if (!operation || others.length > 0) return false
  return kind === undefined || isFuzzed(operation, kind)
}
