import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import type { ServiceSlug } from '../vocabulary/scopes.ts'
import { catalogFilesIn, catalogFolder } from './backend-modules.ts'
import { type CatalogFile, catalogFile, type OperationFile } from './catalog-file.ts'
import type { Operation } from './operation.ts'
import { operationProblems } from './operation-problems.ts'
import { priceRule } from './price-rule.ts'
import { requestValidator } from './request-validator.ts'

export interface Service {
  readonly slug: ServiceSlug
  readonly name: string
  readonly backendModule: string
  readonly operations: readonly Operation[]
}

export interface Catalog {
  readonly services: readonly Service[]
}

/** The catalog is unusable. The message has a line for each problem: file, line, field, reason. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
}

let bundled: Catalog | undefined

/**
 * Reads every `*.yaml` and `*.yml` of the folder. Throws CatalogError with all problems. The catalog of
 * this build is read once in a process.
 */
export function loadCatalog(folder?: string): Catalog {
  if (folder !== undefined) return readCatalog(folder)
  bundled ??= readCatalog(catalogFolder)
  return bundled
}

function readCatalog(folder: string): Catalog {
  const problems: string[] = []
  const services = new Map<string, Service>()
  const names = catalogFilesIn(folder)
  if (names.length === 0) problems.push(`${folder}: no *.yaml file`)
  for (const name of names) {
    const read = readService(join(folder, name), problems)
    if (read) services.set(name, read)
  }
  problems.push(...clashes(services))
  if (problems.length > 0) throw new CatalogError(problems.join('\n'))
  return { services: [...services.values()] }
}

type Path = readonly (string | number)[]

function readService(file: string, problems: string[]): Service | null {
  const text = readFileSync(file, 'utf8')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })

  function report(path: Path, reason: string): void {
    problems.push(`${basename(file)}:${lineOf(path)}: ${path.join('.') || 'file'}: ${reason}`)
  }

  /** The line of the nearest ancestor that the file has. */
  function lineOf(path: Path): number {
    const node: unknown = path.length > 0 ? document.getIn(path, true) : document.contents
    const range = node && typeof node === 'object' && 'range' in node ? node.range : undefined
    if (Array.isArray(range) && typeof range[0] === 'number') return lines.linePos(range[0]).line
    return path.length > 0 ? lineOf(path.slice(0, -1)) : 1
  }

  for (const error of document.errors) {
    problems.push(`${basename(file)}:${lines.linePos(error.pos[0]).line}: file: ${error.message}`)
  }
  if (document.errors.length > 0) return null
  const parsed = catalogFile.safeParse(document.toJS())
  if (!parsed.success) {
    for (const { path, message } of parsed.error.issues) report(path.map(String), message)
    return null
  }
  return toService(parsed.data, report)
}

function toService(file: CatalogFile, report: (path: Path, reason: string) => void): Service {
  const { slug, name, backend_module: backendModule } = file
  const operations: Operation[] = []
  for (const [index, operation] of file.operations.entries()) {
    const problems = operationProblems(operation, slug)
    for (const { path, reason } of problems) report(['operations', index, ...path], reason)
    if (problems.length === 0) operations.push(toOperation(file, operation))
  }
  return { slug, name, backendModule, operations }
}

function toOperation(file: CatalogFile, operation: OperationFile): Operation {
  const { method, request, response } = operation
  return {
    id: operation.id,
    service: file.slug,
    serviceName: file.name,
    backendModule: file.backend_module,
    method,
    path: operation.path,
    summary: operation.summary,
    description: operation.description ?? operation.summary,
    scope: operation.scope ?? `${file.slug}:${method === 'GET' ? 'read' : 'write'}`,
    isIdempotent: operation.idempotent,
    price: priceRule(operation.credits),
    request: requestValidator(request),
    response,
    deprecated: operation.deprecated,
    declared: operation,
  }
}

/** Slugs, modules, routes and operations that two files claim. */
function clashes(services: ReadonlyMap<string, Service>): string[] {
  const owners = new Map<string, string>()
  const problems: string[] = []
  for (const [file, { slug, backendModule, operations }] of services) {
    const claims = [
      `slug ${slug}`,
      `backend_module ${backendModule}`,
      ...operations.map(
        ({ method, path }) => `${method} /v1/${slug}${path.replaceAll(/\{.*?\}/g, '{}')}`,
      ),
      ...operations.map(({ id }) => `operation ${id}`),
    ]
    for (const claim of claims) {
      const owner = owners.get(claim)
      if (owner !== undefined) problems.push(`${file}:1: ${claim}: is in ${owner} too`)
      owners.set(claim, file)
    }
  }
  return problems
}
