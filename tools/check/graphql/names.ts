import { parse, visit } from 'graphql'
import type { Finding } from '../report/finding.ts'
import type { Named } from './coordinates.ts'
import { lineOf, linesOf } from './locate.ts'
import { type NameException, type NameRule, rules, verbs } from './name-rules.ts'
import type { NamedDocument } from './operations.ts'

interface Misnamed {
  readonly rule: NameRule
  readonly coordinate: string
  readonly file: string
  readonly line?: number
}

interface Names {
  /** The names of the schema `sdl`. */
  readonly named: readonly Named[]
  readonly sdl: string
  readonly operations: readonly NamedDocument[]
  /** Whether an operation's aliases are members of a REST body. */
  readonly isPublic: (operation: string) => boolean
  /** The OpenAPI document. */
  readonly openapi: unknown
  readonly exceptions: readonly NameException[]
}

/** Names that break a rule without an exception, and exceptions that are not needed. */
export function misnamed({ exceptions, ...names }: Names): Finding[] {
  const found = [
    ...inGraph(names),
    ...names.operations.flatMap((operation) => inOperation(operation, names.isPublic)),
    ...inOpenapi(names.openapi),
  ]
  // A document without paths does not say which names its bodies need.
  const hasBodies = Object.keys(Object(Object(names.openapi).paths)).length > 0
  const judged = exceptions.filter(({ isOfBodies = false }) => hasBodies || !isOfBodies)
  const isExcused = (item: Misnamed) => exceptions.some((exception) => excuses(exception, item))
  return [
    ...found.filter((item) => !isExcused(item)).map(toFinding),
    ...judged.flatMap((exception) => needless(exception, found)),
  ]
}

function toFinding({ rule, coordinate, file, line }: Misnamed): Finding {
  const id = `name/${rule}/${coordinate}`
  return { id, severity: 'error', file, line, message: `${coordinate}: ${rules[rule]}` }
}

/** `*.name` matches that field, argument or member of any type, `Enum.*` all values of an enum. */
function matches(pattern: string, coordinate: string): boolean {
  const name = coordinate.replace(/^.*[.(]/, '').replace(/:\)$/, '')
  return [coordinate, `*.${name}`, coordinate.replace(/\..*$/, '.*')].includes(pattern)
}

function excuses({ rule, names }: NameException, item: Misnamed): boolean {
  return rule === item.rule && names.some((pattern) => matches(pattern, item.coordinate))
}

function needless({ rule, names }: NameException, found: readonly Misnamed[]): Finding[] {
  const ofRule = found.filter((item) => item.rule === rule)
  return names
    .filter((pattern) => !ofRule.some(({ coordinate }) => matches(pattern, coordinate)))
    .map((pattern) => ({
      id: `name/needless-exception/${rule}/${pattern}`,
      severity: 'error',
      file: 'tools/check/graphql/name-rules.ts',
      message: `nothing named ${pattern} needs the exception to ${rule}; delete it`,
    }))
}

function inGraph({ named, sdl }: Pick<Names, 'named' | 'sdl'>): Misnamed[] {
  const lines = linesOf(sdl)
  return named.flatMap((item) => {
    const { coordinate } = item
    const broken = item.type === '' ? brokenByType(item) : brokenByValued(item)
    const line = lineOf(lines, coordinate)
    return [...broken].map((rule) => ({
      rule,
      coordinate,
      file: 'schema/generated/api.graphql',
      line,
    }))
  })
}

function* brokenByType({ what, name }: Named): Generator<NameRule> {
  if (what === 'value') {
    if (!/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name)) yield 'value-case'
    return
  }
  if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) yield 'type-case'
  if (what === 'input' && !name.endsWith('Input')) yield 'input-suffix'
}

const units = /(Ms|Seconds|Minutes|Hours|Days|Cents|Bytes|Rps|Percent)[A-Z]/

/** A field, an argument, or a member of an input. */
function* brokenByValued({ what, coordinate, name, type }: Named): Generator<NameRule> {
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) yield 'field-case'
  if (units.test(name)) yield 'unit-last'
  if (what === 'field' && coordinate.startsWith('Mutation.') && !beginsWithVerb(name)) {
    yield 'verb-first'
  }
  // The name of a root field describes the request, not the type of the answer.
  if (what === 'field' && /^(Query|Mutation)\./.test(coordinate)) return
  if (type === 'Boolean' && !/^(is|has|can)[A-Z]/.test(name)) yield 'boolean-prefix'
  if ((type === 'DateTimeISO') !== /[a-z]At$/.test(name)) yield 'instant-suffix'
  if ((type === 'ID') !== (name === 'id' || /[a-z]Ids?$/.test(name))) yield 'id-suffix'
}

function beginsWithVerb(name: string): boolean {
  const [word = ''] = /^[A-Za-z][a-z]*/.exec(name) ?? []
  return verbs.has(word.toLowerCase())
}

const snakeCase = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

/**
 * Operations of the gateway itself may use camelCase; aliases and variables of the others are REST
 * members.
 */
function inOperation(
  { name, document, file }: NamedDocument,
  isPublic: (operation: string) => boolean,
): Misnamed[] {
  const found: Misnamed[] = []
  if (!beginsWithVerb(name)) found.push({ rule: 'verb-first', coordinate: name, file })
  if (!isPublic(name)) return found
  function check(member: string, line: number | undefined): void {
    if (snakeCase.test(member) || member === '__typename') return
    found.push({ rule: 'rest-case', coordinate: `${name}.${member}`, file, line })
  }
  visit(parse(document), {
    Field: ({ alias, name: field, loc }) => check((alias ?? field).value, loc?.startToken.line),
    VariableDefinition: ({ variable, loc }) => check(variable.name.value, loc?.startToken.line),
  })
  return found
}

/** Members and parameters, wherever the document has them. Headers are named by other rules. */
function inOpenapi(document: unknown): Misnamed[] {
  const names = [...new Set(namesIn(document))].filter((name) => !snakeCase.test(name))
  return names.map((coordinate) => ({
    ...{ rule: 'rest-case', coordinate, file: 'schema/generated/openapi.json' },
  }))
}

function* namesIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  if ('properties' in node) yield* Object.keys(Object(node.properties))
  const isParameter = 'in' in node && (node.in === 'query' || node.in === 'path')
  if (isParameter && 'name' in node && typeof node.name === 'string') yield node.name
  for (const [key, value] of Object.entries(node)) {
    // Example values are not names of the contract.
    if (key !== 'example' && key !== 'examples') yield* namesIn(value)
  }
}
