import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../../../schema/process/project-root.ts'
import { brokenCitations, citationOffsets } from '../../support/citations.ts'
import { anchorsOf, projectLinks } from '../../support/markdown.ts'

/** Texts for callers of the API, who do not have this repository. */
const publicTexts =
  /^(?:site\/guides\/|schema\/(?:.*\/)?(?:openapi|postman)\.json$|sdk\/README\.md$|sdk\/src\/generated\/)/

/** Hashes, licence and drawings, in which letters and numbers mean something else. */
const notProse = /^(?:package-lock\.json|LICENSE)$|\.svg$/

/** Apart from the numbers, so that the examples below do not count as tests of rules. */
const rules = 'docs/oauth-rules.md'

const texts = readTexts()
const ownPath = relative(projectRoot, import.meta.filename)
const anchorsByPath = new Map(
  [...texts]
    .filter(([path]) => path.endsWith('.md'))
    .map(([path, text]) => [path, anchorsOf(text)]),
)

/** Tracked and new files of the project that are texts, by path. */
function readTexts(): Map<string, string> {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: projectRoot, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 },
  )
  const paths = [...new Set(listed.split('\0'))].filter(
    (path) => path !== '' && !notProse.test(path) && existsSync(join(projectRoot, path)),
  )
  const read = paths.map((path) => [path, readFileSync(join(projectRoot, path), 'utf8')] as const)
  return new Map(read.filter(([, text]) => !text.includes('\0')))
}

function at(path: string, text: string, offset: number): string {
  return `${path}:${text.slice(0, offset).split('\n').length}`
}

function citationProblemsOf(path: string, text: string): string[] {
  return brokenCitations(text, anchorsByPath)
    .filter(({ problem }) => !path.startsWith('docs/') || problem.startsWith('docs/'))
    .map(({ offset, problem }) => `${at(path, text, offset)} ${problem}`)
}

function linkProblemsOf(path: string, text: string): string[] {
  return projectLinks(text)
    .filter(({ target }) => !leadsSomewhere(path, target))
    .map(({ offset, target }) => `${at(path, text, offset)} ${target} leads nowhere`)
}

function leadsSomewhere(path: string, link: string): boolean {
  const [file = '', fragment] = decodeURI(link).split('#')
  const target = file === '' ? path : join(dirname(path), file)
  if (!existsSync(join(projectRoot, target))) return false
  return fragment === undefined || (anchorsByPath.get(target)?.has(fragment) ?? false)
}

describe('the texts of the repository', () => {
  test('cite pages and ids that exist, in the one form', () => {
    const problems = [...texts].flatMap(([path, text]) =>
      path === ownPath ? [] : citationProblemsOf(path, text),
    )

    expect(problems).toEqual([])
  })

  test('link only to files and anchors that exist', () => {
    const problems = [...texts].flatMap(([path, text]) =>
      path.endsWith('.md') ? linkProblemsOf(path, text) : [],
    )

    expect(problems).toEqual([])
  })

  test('cite no project document where callers of the API read them', () => {
    const cited = [...texts]
      .filter(([path]) => publicTexts.test(path))
      .flatMap(([path, text]) => citationOffsets(text).map((offset) => at(path, text, offset)))

    expect(cited).toEqual([])
  })
})

describe('the search for citations', () => {
  test.each([
    'docs/promises.md R5',
    `(docs/contract.md §2 and §3; ${rules} 4, 51-55, §1.10)`,
    `/** See ${rules}\n * 51-55 and 93. */`,
    'docs/credits.md. 7 days',
    'RFC 6749 §3.1, §3.2; OpenID Connect Core §5.3',
  ])('accepts %j', (text) => {
    expect(brokenCitations(text, anchorsByPath)).toEqual([])
  })

  test.each([
    ['(docs/promises.md R99)', 'docs/promises.md has no R99'],
    [`${rules} 144-146`, `${rules} has no 146`],
    ['docs/contract.md\n// §70', 'docs/contract.md has no §70'],
    ['docs/nowhere.md §1', 'docs/nowhere.md does not exist'],
    ['the envelope (contract §2)', '"§2" is not cited as docs/<page>.md <id>'],
    ['as agreed (spec,\n * Limits 3)', '"spec,    Limits" is not cited as docs/<page>.md <id>'],
    ['in the end (promise R6).', '"promise R6" is not cited as docs/<page>.md <id>'],
    ['(design, oauth rule 73)', '"rule 73" is not cited as docs/<page>.md <id>'],
    ["test('S4: is refused')", '"S4" is not cited as docs/<page>.md <id>'],
    ['a bomb (G2)', '"G2" is not cited as docs/<page>.md <id>'],
  ])('refuses %j', (text, problem) => {
    expect(brokenCitations(text, anchorsByPath).map((found) => found.problem)).toContain(problem)
  })
})

describe('the search for links', () => {
  test('finds the links of the project outside of code', () => {
    const text = '[a](x.md#b) `[c](d.md)` [`e`](../f) [g](https://h.example) [i](/docs/j)'

    expect(projectLinks(text).map(({ target }) => target)).toEqual(['x.md#b', '../f'])
  })

  test('computes anchors as GitHub does', () => {
    const text = '# A & B\n\n## `code` and [link](x)\n\n## Same\n\n## Same\n\n<a id="r5"></a>'

    expect([...anchorsOf(text)].toSorted()).toEqual(
      ['a--b', 'code-and-link', 'r5', 'same', 'same-1'].toSorted(),
    )
  })
})
