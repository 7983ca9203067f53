import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'

/** The provider's checklist has so many numbered rules. */
const ruleCount = 145

/** Rules without a test of their own, and why. */
const unproven: Readonly<Record<number, string>> = {
  50: 'Optional: not done, because clients test themselves with a constant challenge.',
  83: 'Says what JWT access tokens would need: there are none, all are opaque.',
  95: 'Optional: not done; an app asks about its tokens itself.',
}

/** The mention of rules in the title of a test, such as `docs/oauth-rules.md 4, 51-55 and §2`. */
const mention = /docs\/oauth-rules\.md ((?:§?[\d.]*\d)(?:(?:-|, | and )§?[\d.]*\d)*)/g

test('every rule of the checklist is named by a test, or has a reason why not', () => {
  const proven = new Set(testFiles().flatMap(rulesIn))
  const all = Array.from({ length: ruleCount }, (_, index) => index + 1)

  const missing = all.filter((rule) => !proven.has(rule) && !(rule in unproven))
  console.info(`rules of the provider: ${proven.size} of ${ruleCount} are named by tests`)
  for (const [rule, reason] of Object.entries(unproven)) console.info(`rule ${rule}: ${reason}`)

  expect(missing).toEqual([])
  expect([...proven].filter((rule) => rule > ruleCount || rule in unproven)).toEqual([])
})

function testFiles(): string[] {
  const folder = join(projectRoot, 'test')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const tests = names.filter((name) => name.endsWith('.test.ts'))
  return tests.map((name) => readFileSync(join(folder, name), 'utf8'))
}

/** Comments do not count. */
function rulesIn(source: string): number[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return [...code.matchAll(mention)].flatMap(([, list = '']) => numbersOf(list))
}

function numbersOf(list: string): number[] {
  const rules = list.split(/, | and /).filter((part) => !part.startsWith('§'))
  return rules.flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}
