/** The table of operations: name, method and path, and the types of input and answer. */

const methods = ['get', 'post', 'put', 'patch', 'delete']
const bodyKinds = { 'application/json': 'json', 'application/x-www-form-urlencoded': 'form' }
/** Words that are redundant in the name of an operation. */
const emptyWords = ['api', 'own']
const idempotencyHeader = /^x-.+-idempotency-key$/i

export function operationsFile(document, version) {
  const lines = [...groupByTag(document)].flatMap(([group, { description, operations }]) => [
    ...comment(description, 4),
    `    ${group}: {`,
    ...[...operations].flatMap(([name, operation]) => operationLines(name, operation)),
    '    },',
  ])
  return `import type { Binder } from '../operations/operation.ts'
import type * as types from './types.gen.ts'

export const version = '${version}'

/** Every operation of the document, by tag. */
export function bindOperations({ call, list }: Binder) {
  return {
${lines.join('\n')}
  }
}
`
}

/** Group → its description, and name → operation. */
function groupByTag(document) {
  const groups = new Map()
  for (const operation of operationsOf(document)) {
    const [tag] = operation.tags
    const group = groupOf(tag, operation)
    const { description } = document.tags.find(({ name }) => name === tag)
    const { operations } = groups.get(group) ?? { operations: new Map() }
    const name = nameWithin([tag, group], operation.operationId)
    if (operations.has(name)) throw new Error(`Two operations would be ${group}.${name}.`)
    groups.set(group, { description, operations: operations.set(name, operation) })
  }
  return groups
}

/**
 * A product service is named by its part of the path, as its scopes are; others by the tag's first
 * noun.
 */
function groupOf(tag, operation) {
  if (operation['x-credits']) return camelCase(wordsOf(operation.path.split('/')[2]))
  const [noun] = tag.split(' and ')
  return camelCase(wordsOf(noun).filter((word) => !emptyWords.includes(stem(word))))
}

/** An operation with its path, and with references resolved. */
function operationsOf(document) {
  const follow = (value) => (value?.$ref ? follow(atPointer(document, value.$ref)) : value)
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const operation = item[method]
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(follow)
        const requestBody = follow(operation.requestBody)
        return { ...operation, path, method, parameters, requestBody }
      }),
  )
}

function atPointer(document, pointer) {
  const names = pointer.slice(2).split('/')
  return names.reduce(
    (value, name) => value[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
}

function operationLines(name, operation) {
  const { operationId, summary, description, parameters } = operation
  const types = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  const isList = parameters.some(({ name, in: part }) => name === 'cursor' && part === 'query')
  const text = [summary, description]
  if (operation.deprecated) text.push('@deprecated')
  return [
    ...comment(text.filter(Boolean).join('\n\n'), 6),
    `      ${name}: ${isList ? 'list' : 'call'}<types.${types}Data, types.${types}Responses>(`,
    `        ${literal(row(operation))},`,
    '      ),',
  ]
}

function row({ path, method, parameters, requestBody, security }) {
  const [mediaType] = Object.keys(requestBody?.content ?? {})
  const query = parameters.filter(({ in: part }) => part === 'query').map(({ name }) => name)
  const key = parameters.find(
    ({ name, in: part }) => part === 'header' && idempotencyHeader.test(name),
  )
  const isPublic = !security.some((requirement) => 'ApiKeyBearer' in requirement)
  return {
    method: method.toUpperCase(),
    path,
    ...(query.length > 0 && { query }),
    ...(mediaType && { body: bodyKinds[mediaType] }),
    ...(key && { idempotencyHeader: key.name }),
    ...(isPublic && { isPublic }),
  }
}

/** `listApiKeys` of API keys becomes `list`; a name that only repeats its group stays whole. */
function nameWithin(places, operationId) {
  const known = new Set([...places.flatMap(wordsOf).map(stem), ...emptyWords])
  const words = wordsOf(operationId).filter((word) => !known.has(stem(word)))
  return words.length > 0 ? camelCase(words) : operationId
}

function wordsOf(text) {
  return text.match(/OAuth|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? []
}

function stem(word) {
  return word.toLowerCase().replace(/s$/, '')
}

function camelCase(words) {
  const [first, ...others] = words.map((word) => word.toLowerCase())
  return [first, ...others.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join('')
}

function comment(text, indent) {
  const margin = ' '.repeat(indent)
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return [`${margin}/** ${lines[0]} */`]
  return [`${margin}/**`, ...lines.map((line) => `${margin} * ${line}`.trimEnd()), `${margin} */`]
}

function literal(value) {
  const members = Object.entries(value).map(([name, member]) => `${name}: ${memberLiteral(member)}`)
  return `{ ${members.join(', ')} }`
}

function memberLiteral(member) {
  if (Array.isArray(member)) return `[${member.map(memberLiteral).join(', ')}]`
  return typeof member === 'string' ? `'${member}'` : String(member)
}
