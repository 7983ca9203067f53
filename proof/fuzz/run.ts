import fc from 'fast-check'
import { type Answer, createAnswerCheck } from '../../test/support/conformity/answers-conform.ts'
import { type ApiOperation, readApiDocument } from '../../test/support/conformity/api-document.ts'
import type { TestGateway } from '../../test/support/gateway/gateway.ts'
import {
  type FuzzKind,
  fuzzKinds,
  hostileKind,
  invalidKind,
  isFuzzed,
  type Kind,
  validKind,
} from './kinds.ts'
import { createOracle } from './oracle.ts'
import { validRequests } from './requests.ts'
import { schemaValues } from './schema-values.ts'
import { openWorld, type World } from './world.ts'

export interface FuzzOptions {
  /** Requests in all, those of shrinking not counted. */
  readonly cases: number
  readonly seed: number
  /** Only these, such as `issueApiKey/invalid`, or `issueApiKey`. */
  readonly only?: string
  /** The path of a failure: only that case is run, as fast-check shrank it. */
  readonly path?: string
  /** Waited for before the first request of a kind and after the last one. */
  readonly onKind?: (kind: FuzzKind, at: 'begin' | 'end') => Promise<void>
  readonly onProgress?: (done: number) => void
}

export interface FuzzFailure {
  /** `<operation>/<kind>` */
  readonly property: string
  readonly problem: string
  /** The smallest case that fails, and where it is among those of the seed. */
  readonly counterexample: string
  readonly path: string
  readonly curl: string
}

export interface FuzzReport {
  readonly failures: readonly FuzzFailure[]
  /** `<operation>/<kind>` → status → answers. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<number, number>>
  readonly cases: number
  /** The sum of the charges in all answers, and the accounts. */
  readonly credits: number
  readonly accountIds: readonly string[]
}

/** The share of each kind in all cases. */
const shareOf: Readonly<Record<FuzzKind, number>> = { valid: 0.35, invalid: 0.5, hostile: 0.15 }
const atOnce = 6
const progressEvery = 500

/**
 * Sends a gateway requests that its document allows, that it forbids, and that no client would
 * send.
 */
export async function runFuzz(gateway: TestGateway, options: FuzzOptions): Promise<FuzzReport> {
  const world = await openWorld(gateway)
  const notes = newNotes(options)
  const contract = readContract()
  try {
    for (const kind of fuzzKinds) {
      const properties = propertiesOf(kind, contract, { world, options, notes })
      if (properties.length === 0) continue
      await options.onKind?.(kind, 'begin')
      await runAll(properties)
      await options.onKind?.(kind, 'end')
    }
  } finally {
    await world.close()
  }
  const { failures, answers, count } = notes
  const credits = world.charged()
  return { failures, answers, cases: count(), credits, accountIds: world.accountIds }
}

interface Notes {
  readonly failures: FuzzFailure[]
  readonly answers: Map<string, Map<number, number>>
  readonly count: () => number
  /** Null: bytes that deserve no answer got none. */
  readonly note: (property: string, answer: Answer | null) => void
}

function newNotes({ onProgress }: FuzzOptions): Notes {
  const answers = new Map<string, Map<number, number>>()
  let done = 0
  return {
    failures: [],
    answers,
    count: () => done,
    note(property, answer) {
      done += 1
      if (done % progressEvery === 0) onProgress?.(done)
      if (!answer) return
      const { status } = answer
      const counts = answers.get(property) ?? new Map<number, number>()
      counts.set(status, (counts.get(status) ?? 0) + 1)
      answers.set(property, counts)
    },
  }
}

type Property = () => Promise<void>

/** A few at a time: one that waits for the database leaves the processor to others. */
async function runAll(properties: readonly Property[]): Promise<void> {
  const waiting = [...properties]
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) await next()
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** Compiled once for all kinds. */
function readContract() {
  const document = readApiDocument()
  const oracleOf = createOracle(document)
  const valuesOf = schemaValues(document)
  const operations = document.operations.map((operation) => ({
    operation,
    findBroken: oracleOf(operation),
    requests: validRequests(operation, valuesOf),
  }))
  return { check: createAnswerCheck(document), operations }
}

interface Bench {
  readonly world: World
  readonly options: FuzzOptions
  readonly notes: Notes
}

function propertiesOf(
  kind: FuzzKind,
  { check, operations: all }: ReturnType<typeof readContract>,
  { world, options, notes }: Bench,
): readonly Property[] {
  const operations = all.filter(({ operation }) => isFuzzed(operation, kind))
  const weights = operations.reduce((sum, { operation }) => sum + weightOf(operation), 0)
  return operations.flatMap((one) => {
    const { operation } = one
    const name = `${operation.id}/${kind}`
    const { only = name } = options
    if (only !== name && only !== operation.id) return []
    const share = (shareOf[kind] * options.cases * weightOf(operation)) / weights
    const shared = { name, numRuns: Math.max(1, Math.ceil(share)), options, notes, world }
    const given = { world, check, ...one }
    if (kind === 'valid') return [propertyOf(validKind(given), shared)]
    if (kind === 'hostile') return [propertyOf(hostileKind(given), shared)]
    return [propertyOf(invalidKind(given), shared)]
  })
}

interface PropertyOptions {
  readonly name: string
  readonly numRuns: number
  readonly options: FuzzOptions
  readonly notes: Notes
  readonly world: World
}

function propertyOf<Case>(kind: Kind<Case>, shared: PropertyOptions): Property {
  const { name, numRuns, options, notes, world } = shared
  const { seed, path } = options
  return async () => {
    const asked = fc.asyncProperty(kind.cases, async (value) => {
      const answer = await kind.ask(value, kind.wire(value))
      notes.note(name, answer)
      if (!answer) return
      const problems = kind.judge(value, answer)
      if (problems.length === 0) return
      throw new Error(`${answer.status}: ${problems.join('; ')}\n${answer.body.slice(0, 1000)}`)
    })
    const parameters = { seed, numRuns, ...(path === undefined ? {} : { path }) }
    const result = await fc.check(asked, parameters)
    if (!result.failed) return
    const [value] = result.counterexample ?? []
    const { errorInstance, counterexamplePath } = result
    notes.failures.push({
      property: name,
      problem: errorInstance instanceof Error ? errorInstance.message : String(errorInstance),
      counterexample: fc.stringify(value),
      path: counterexamplePath ?? '',
      curl: value === undefined ? '' : world.curl(kind.wire(value)),
    })
  }
}

/** Operations with many fields are tried more often. */
function weightOf({ parameters, requestBody }: ApiOperation): number {
  return 2 + Math.min(4, parameters.length) + (requestBody ? 4 : 0)
}
