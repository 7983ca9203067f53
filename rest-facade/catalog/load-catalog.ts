import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { projectRoot } from '../../schema/project-root.ts'
import type { ServiceSlug } from '../../schema/scopes.ts'
import { type CatalogFile, catalogFile, type OperationFile } from './catalog-file.ts'
import type { Operation } from './operation.ts'
import { priceRule } from './price-rule.ts'
import { assertSchema, requestValidator } from './request-validator.ts'

export interface Service {
  readonly slug: ServiceSlug
  readonly name: string
  readonly backendModule: string
  readonly operations: readonly Operation[]
}

export interface Catalog {
  readonly services: readonly Service[]
}

/** The catalog cannot be served. Its message has a line for each problem: file, line, field, reason. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError'
}

const defaultFolder = join(projectRoot, 'rest-facade/catalog')

/** Reads every `*.yaml` of the folder. Throws CatalogError that lists all problems of all files. */
export function loadCatalog(folder: string = defaultFolder): Catalog {
  const problems: string[] = []
  const services: Service[] = []
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'))
  if (names.length === 0) problems.push(`${folder}: no *.yaml file`)
  for (const name of names.sort()) {
    const read = readService(join(folder, name), problems)
    if (read) services.push(read)
  }
  problems.push(...clashes(services))
  if (problems.length > 0) throw new CatalogError(problems.join('\n'))
  return { services }
}

type Path = readonly (string | number)[]

function readService(file: string, problems: string[]): Service | null {
  const text = readFileSync(file, 'utf8')
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })

  function report(path: Path, reason: string): void {
    problems.push(`${basename(file)}:${lineOf(path)}: ${path.join('.') || 'file'}: ${reason}`)
  }

  /** Of the nearest ancestor that the file has. */
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
    try {
      operations.push(toOperation(file, operation))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      report(['operations', index], `not a valid JSON Schema: ${reason}`)
    }
    for (const reason of pathProblems(operation)) report(['operations', index, 'path'], reason)
    for (const reason of priceProblems(operation)) report(['operations', index, 'credits'], reason)
  }
  return { slug, name, backendModule, operations }
}

function toOperation(file: CatalogFile, operation: OperationFile): Operation {
  const { method, request, response } = operation
  assertSchema(response.schema)
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
  }
}

/** Every {placeholder} needs a schema, and the other way round. */
function pathProblems({ path, request }: OperationFile): string[] {
  const placeholders = [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name ?? '')
  const properties = request.path?.properties
  const described = typeof properties === 'object' && properties ? Object.keys(properties) : []
  return [
    ...placeholders
      .filter((name) => !described.includes(name))
      .map((name) => `{${name}} has no schema in request.path.properties`),
    ...described
      .filter((name) => !placeholders.includes(name))
      .map((name) => `request.path.properties.${name} is not in the path`),
  ]
}

/** A price that counts what neither request nor response has would be found out by a customer. */
function priceProblems({ credits, request, response }: OperationFile): string[] {
  if ('flat' in credits) return []
  const { bounded_by: field, units_at: unitsAt } = credits
  const asked = { ...propertiesOf(request.query), ...propertiesOf(request.body) }
  const delivered = propertiesOf(response.schema)
  const first = unitsAt.split('/')[1] ?? ''
  return [
    ...(field === undefined || Object.hasOwn(asked, field)
      ? []
      : [`bounded_by names ${field}, which no request schema has`]),
    ...(Object.hasOwn(delivered, first)
      ? []
      : [`units_at names ${unitsAt}, which the response schema lacks`]),
  ]
}

function propertiesOf(schema: Readonly<Record<string, unknown>> | undefined): object {
  return Object(schema?.properties)
}

/** A slug, a module or a route that two files claim. */
function clashes(services: readonly Service[]): string[] {
  const owners = new Map<string, string>()
  const problems: string[] = []
  for (const { slug, backendModule, operations } of services) {
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
      if (owner !== undefined) problems.push(`${slug}.yaml:1: ${claim}: is in ${owner}.yaml too`)
      owners.set(claim, slug)
    }
  }
  return problems
}
