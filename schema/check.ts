/**
 * `npm run schema:check`: fails on anything under schema/ that is stale, left over, does not compose
 * or validate, or would break a client of the graph. `--base <git revision>` says what to compare with
 * (HEAD unless given); `--format github` prints annotations.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema } from 'graphql'
import { type Finding, generate } from './generate.ts'
import { projectRoot } from './project-root.ts'

const { values: options } = parseArgs({
  options: {
    base: { type: 'string', default: 'HEAD' },
    format: { type: 'string', default: 'text' },
  },
})

if (options.format !== 'text' && options.format !== 'github') {
  refuseUsage(`The format is text or github, not ${options.format}.`)
}

const apiFile = 'schema/api.graphql'
const { files, findings: invalid } = await generate()
const findings = [
  ...invalid,
  ...staleFiles(files),
  ...leftoverFiles(files),
  ...(await breakingChanges(files.get(apiFile))),
]

for (const finding of findings) process.stdout.write(`${format(finding)}\n`)
if (findings.length > 0) process.exit(1)
process.stdout.write(`schema: ${files.size} files fresh, nothing breaks since ${options.base}\n`)

function staleFiles(generated: ReadonlyMap<string, string>): Finding[] {
  const message = 'is stale; run npm run schema and commit the result'
  return [...generated]
    .filter(([file, content]) => readOrEmpty(file) !== content)
    .map(([file]) => ({ file, message }))
}

/** What does not compose generates less than it will: then nothing is left over. */
function leftoverFiles(generated: ReadonlyMap<string, string>): Finding[] {
  if (!generated.has(apiFile)) return []
  const names = readdirSync(join(projectRoot, 'schema'), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.graphql') && !/^operations[\\/]/.test(name))
    .map((name) => `schema/${name}`)
    .filter((file) => !generated.has(file))
    .map((file) => ({ file, message: 'nothing generates it; delete it' }))
}

function readOrEmpty(file: string): string {
  const path = join(projectRoot, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

async function breakingChanges(api: string | undefined): Promise<Finding[]> {
  const before = fileAtBase(apiFile)
  if (api === undefined || before === null) return []
  const changes = await diff(buildSchema(before), buildSchema(api))
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => ({
      file: apiFile,
      message: `breaking since ${options.base}: ${message}`,
    }))
}

/** Null when the base has no such file yet. Ends the check when there is no such base. */
function fileAtBase(file: string): string | null {
  try {
    git('rev-parse', '--verify', '--quiet', `${options.base}^{commit}`)
  } catch {
    refuseUsage(`There is no git revision ${options.base} to compare with.`)
  }
  const names = git('ls-tree', '--name-only', options.base, '--', file)
  return names.trim() === '' ? null : git('show', `${options.base}:${file}`)
}

function refuseUsage(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: projectRoot,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

function format({ file, message }: Finding): string {
  if (options.format !== 'github') return `${file}: ${message}`
  const escaped = message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  return `::error file=${file}::${escaped}`
}
