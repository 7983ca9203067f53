import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { figuresOf, withFigures } from '../../../proof/bench/records/figures.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'
import {
  type Figure,
  figureTable,
  promiseTables,
  readFigures,
  readPromises,
} from '../../../site/content/reliability.ts'
import { extents, oldestFiles, timedFiles } from '../../support/extent/extents.ts'
import { anchorsOf } from '../../support/markdown.ts'

const promises = readPromises()

/** Promises that no test proves, each with its reason in its row. Remove an id when it gets a test. */
const untested = ['R16', 'P2', 'P3']

const testsOf = (proof: string) =>
  [...proof.matchAll(/\]\(\.\.\/(test\/[^)]+\.test\.ts)\)/g)].map(([, path = '']) => path)

/** The tests that vitest.config.ts runs for these globs. */
function filesOf(globs: readonly string[]): ReadonlySet<string> {
  return new Set(globSync(globs, { cwd: projectRoot }))
}

describe('docs/promises.md', () => {
  test('names, for each promise, tests that exist and contain tests', () => {
    const without = promises.filter(({ proof }) => testsOf(proof).length === 0).map(({ id }) => id)
    const missing = promises
      .flatMap(({ id, proof }) => testsOf(proof).map((path) => ({ id, path })))
      .filter(
        ({ path }) =>
          !existsSync(join(projectRoot, path)) ||
          !/\b(?:test|it)\b[\w.(){}, ]*\(/.test(readFileSync(join(projectRoot, path), 'utf8')),
      )

    expect(without).toEqual(untested)
    expect(missing).toEqual([])
  })

  test('names no test that nothing runs', () => {
    const night = filesOf(extents.nightly)
    const unrun = promises.flatMap(({ id, proof }) =>
      testsOf(proof)
        .filter((path) => !night.has(path))
        .map((path) => ({ id, path })),
    )

    expect(unrun).toEqual([])
  })

  test('has a test that the gate runs for each promise, and may name others of the night beside it', () => {
    const gate = filesOf(extents.all)
    const unproven = promises
      .filter(({ proof }) => testsOf(proof).every((path) => !gate.has(path)))
      .map(({ id }) => id)

    expect(unproven).toEqual(untested)
  })

  test('says of those without a test that there is none, and why', () => {
    const rows = promises.filter(({ id }) => untested.includes(id))

    expect(rows.filter(({ proof }) => !/^no test; .+/.test(proof))).toEqual([])
  })

  test('has a sentence about what each promise does not include, and each id once', () => {
    expect(promises.filter(({ limit }) => !/^[A-Z].{10,}\.$/.test(limit))).toEqual([])
    expect(new Set(promises.map(({ id }) => id)).size).toBe(promises.length)
    expect(promises.length).toBeGreaterThan(70)
  })
})

describe('the extents of test runs', () => {
  test('have every test: the gate those of npm test, and the night all', () => {
    const [fast, gate, night] = [extents.fast, extents.all, extents.nightly].map(filesOf)

    expect([...(fast ?? [])].filter((path) => !gate?.has(path))).toEqual([])
    expect(
      [...filesOf(['{test,proof,schema,rest-facade,subgraphs}/**/*.test.ts'])].filter(
        (path) => !night?.has(path),
      ),
    ).toEqual([])
  })

  test.each([...oldestFiles, ...timedFiles])('have files of %s', (glob) => {
    const night = filesOf(extents.nightly)

    expect([...filesOf([glob])].filter((path) => night.has(path))).not.toEqual([])
  })
})

describe('docs/figures.json', () => {
  test('has figures of promises and benchmarks that exist', () => {
    const pages = ['promises', 'performance'].map((name) =>
      anchorsOf(readFileSync(join(projectRoot, `docs/${name}.md`), 'utf8')),
    )

    const unknown = readFigures().filter(
      ({ id }) => !pages.some((anchors) => anchors.has(id.toLowerCase())),
    )

    expect(unknown).toEqual([])
  })

  const figure: Figure = {
    ...{ id: 'P8', what: 'refusals', goal: '≥ 0.5', value: '0.6', verdict: 'met' },
    ...{ measured_on: '2026-11-23', machine: 'a machine', command: 'npm run bench -- p8' },
  }

  test('gets the new figures of a bench, and keeps those of others', () => {
    const row = { bench: 'refusals', goal: '≥ 0.5', ours: '', floor: '', measured: null }
    const rows = [
      { ...row, value: '0.4', isMet: false, problems: [] },
      { ...row, value: '9.9', isMet: true, problems: ['an answer was 500'] },
    ]
    const other = { ...figure, id: 'P1' }

    const measured = figuresOf('p8', rows, new Date('2026-12-01T23:00:00Z'))

    const { machine } = measured[0] ?? figure
    expect(withFigures([figure, other], measured)).toEqual([
      other,
      { ...figure, value: '0.4', verdict: 'missed', measured_on: '2026-12-01', machine },
    ])
  })

  test('stands in the table of its promise, or of the benchmarks', () => {
    const promise = {
      ...{ id: 'M1', section: 'Credits', promise: 'P.', limit: 'L.' },
      proof: '[a](../test/unit/a.test.ts) (b)',
    }
    const ofPromise = { ...figure, id: 'M1', what: 'kills' }

    expect(promiseTables([promise], [figure, ofPromise])).toBe(
      '## Credits\n\n| Id | We promise | Not included | Proved by |\n| --- | --- | --- | --- |\n' +
        '| M1 | P. | L. | `test/unit/a.test.ts` (b)<br>kills: 0.6 (2026-11-23) |',
    )
    expect(figureTable([promise], [figure, ofPromise])).toBe(
      '| What | Goal | Measured | Verdict | When and how |\n| --- | --- | --- | --- | --- |\n' +
        '| refusals | ≥ 0.5 | 0.6 | met | 2026-11-23, a machine: `npm run bench -- p8` |',
    )
  })
})

describe('readPromises', () => {
  test.each([
    ['without a limit', '| <a id="m1"></a>M1 | P. | [a](../test/a.test.ts) |', 'another form'],
    ['none', '# Promises', 'has no promise'],
  ])('refuses a page: %s', (_what, text, reason) => {
    expect(() => readPromises(text)).toThrow(reason)
  })
})
