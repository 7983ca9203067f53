import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql'
import { openScopes, type Scope } from './selection-scopes.ts'

export interface RandomDocument {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

interface DocumentWorld {
  readonly schema: GraphQLSchema
  /** Ids that documents of reads name. */
  readonly ids: readonly string[]
  /** An account that only mutations change. */
  readonly changedId: string
  /** Fields that answer the same whenever they are asked, as `Type.field`. */
  readonly isSteady: (field: string, isChange: boolean) => boolean
}

/** Keys in the answer, many of them spelled like fields, keys of objects, or names that programs use themselves. */
const aliases = [
  ...['a', 'b', 'id', 'name', 'nodes', 'apiKeys', 'accountId', '__typename', '_typename'],
  ...['k_id', 'f0', 'f1', 't', 'e0', '_entities', 'representations', 'data'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'],
]
const instants = ['2026-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z', '2020-06-01T12:00:00+02:00']
const words = ['x', '', 'updateAccount', 'ü"\\\\']
const limits = { depth: 7, aliases: 14, directives: 40, fields: 40 }

type AnyField = GraphQLField<unknown, unknown>

/**
 * A valid document, which the numbers choose. Without a number left it takes the first choice, which ends
 * soon: fewer and smaller numbers make a shorter document.
 */
export function documentOf(numbers: readonly number[], world: DocumentWorld): RandomDocument {
  let used = 0
  const choose = (count: number) => (numbers[used++] ?? 0) % count
  const oneOf = <Option>(options: readonly [Option, ...Option[]] | readonly Option[]): Option => {
    const chosen = options[choose(options.length)]
    if (chosen === undefined) throw new Error('There is nothing to choose.')
    return chosen
  }
  const { schema } = world
  const declared: { readonly name: string; readonly text: string }[] = []
  const variables: Record<string, unknown> = {}
  const fragments: { readonly name: string; readonly type: string; readonly text: string }[] = []
  const scopes = openScopes()
  const left = { ...limits }
  const isChange = choose(8) === 7

  function declare(type: string, value: unknown): string {
    const name = oneOf(['v', 'representations', 'id', 'input', 'first']) + declared.length
    const isRequired = type.endsWith('!')
    const kind = choose(isRequired ? 2 : 3)
    // Given; or its default is taken; or it is null.
    declared.push({ name, text: `$${name}: ${type}${kind === 1 ? ` = ${literal(value)}` : ''}` })
    if (kind !== 1) variables[name] = kind === 0 ? plainOf(value) : null
    return `$${name}`
  }

  function condition(): string {
    const kind = choose(8)
    if (kind < 5 || left.directives-- <= 0) return ''
    const holds = choose(3) > 0
    const value = choose(2) === 0 ? String(holds) : declare('Boolean!', holds)
    if (kind === 7) return ` @skip(if: ${value === 'true' ? 'false' : value})`
    return kind === 6 ? ` @include(if: ${value})` : ` @skip(if: ${value}) @include(if: true)`
  }

  function inputValue(type: GraphQLInputType, name: string): unknown {
    const plain = getNullableType(type)
    if (isListType(plain)) {
      return Array.from({ length: choose(3) }, () => inputValue(plain.ofType, name))
    }
    if (isEnumType(plain)) return new EnumName(oneOf(plain.getValues()).name)
    if (isInputObjectType(plain)) {
      const members = Object.values(plain.getFields()).filter(isRequiredInputField)
      return Object.fromEntries(members.map((one) => [one.name, inputValue(one.type, one.name)]))
    }
    switch (getNamedType(plain).name) {
      case 'Boolean':
        return choose(2) === 0
      case 'JSONObject':
        return {}
      case 'ID':
        return oneOf(world.ids)
      case 'DateTimeISO':
        return oneOf(instants)
      case 'String':
        return name === 'name' ? oneOf(['Account', 'Query', 'Nothing']) : oneOf(words)
      default:
        return 1 + choose(3)
    }
  }

  function argument({ name, type, defaultValue }: GraphQLArgument): string {
    const value = inputValue(type, name)
    if (choose(3) > 0) return `${name}: ${literal(value)}`
    // A variable may be null or left out only where the argument may be.
    const isNeeded = isNonNullType(type)
    if (isNeeded && defaultValue !== undefined && choose(2) === 0) {
      const variable = `o${declared.length}`
      declared.push({ name: variable, text: `$${variable}: ${String(getNullableType(type))}` })
      return `${name}: $${variable}`
    }
    return `${name}: ${declare(String(type), value)}`
  }

  function argumentsOf(type: GraphQLObjectType, { name, args }: AnyField): string {
    if (type.name === 'Mutation' && name === 'updateAccount') return `(input: ${update()})`
    if (type.name === 'Mutation' && name === 'createApiKey') return `(input: ${key()})`
    const given = args.filter((arg) => {
      if (isRequiredArgument(arg)) return true
      if (arg.name === 'after' || arg.name === 'cursor') return false
      // Pages of the usual size cost too much below each other.
      return arg.name === 'first' || choose(4) === 1
    })
    return given.length === 0 ? '' : `(${given.map(argument).join(', ')})`
  }

  function update(): string {
    const tier = literal(
      oneOf([new EnumName('STARTER'), new EnumName('GROWTH'), new EnumName('SCALE')]),
    )
    const id = choose(2) === 0 ? literal(world.changedId) : declare('ID!', world.changedId)
    return `{id: ${id}, tier: ${tier}}`
  }

  /** Metadata is JSON, whose literals may have variables. */
  function key(): string {
    const member = () =>
      choose(2) === 0
        ? literal(oneOf(words))
        : declare(oneOf(['String!', 'String! ', 'String!']).trim(), oneOf(words))
    const members = Array.from({ length: choose(3) }, (_, index) => `m${index}: ${member()}`)
    return `{accountId: ${literal(world.changedId)}, environment: LIVE, name: "K", metadata: {${members.join(', ')}}}`
  }

  function fieldsOf(type: GraphQLObjectType, depth: number): AnyField[] {
    return Object.values(type.getFields()).filter((field) => {
      const isLeaf = !isObjectType(getNamedType(field.type))
      if (type.name.startsWith('__')) return isLeaf || depth < 2
      return (
        (isLeaf || depth < limits.depth - 1) &&
        world.isSteady(`${type.name}.${field.name}`, isChange)
      )
    })
  }

  function field(type: GraphQLObjectType, scope: Scope, depth: number): string {
    const known = fieldsOf(type, depth)
    const isRoot = type === schema.getQueryType()
    const frequent = known.filter(({ name }) => name === 'account' || name === 'accounts')
    if (isRoot && choose(6) === 5)
      known.splice(0, known.length, SchemaMetaFieldDef, TypeMetaFieldDef)
    else if (isRoot && choose(3) > 0) known.splice(0, known.length, ...frequent)
    const unions = known.filter((one) => isUnionType(getNamedType(one.type)))
    if (unions.length > 0 && choose(8) === 7) known.splice(0, known.length, ...unions)
    const nested = known.filter((one) => isObjectType(getNamedType(one.type)))
    const one = nested.length > 0 && choose(3) === 2 ? oneOf(nested) : oneOf(known)
    const args = argumentsOf(type, one)
    const alias = choose(3) === 2 && left.aliases-- > 0 ? oneOf(aliases) : one.name
    const responseKey = scope.takes(alias, `${one.name}${args}`) ? alias : one.name
    if (!scope.takes(responseKey, `${one.name}${args}`)) return typename(scope)
    scope.add(responseKey, `${one.name}${args}`)
    const below = getNamedType(one.type)
    const inner = selectionOf(
      below,
      scope.below(responseKey),
      type.name.startsWith('__') || !below.name.startsWith('__') ? depth + 1 : 0,
    )
    const named = responseKey === one.name ? one.name : `${responseKey}: ${one.name}`
    return `${named}${args}${condition()}${inner}`
  }

  function selectionOf(type: GraphQLNamedType, scope: Scope, depth: number): string {
    if (isObjectType(type)) return selection(type, scope, depth)
    if (!isUnionType(type)) return ''
    const ofTypes = type
      .getTypes()
      .map((one) => `... on ${one.name}${condition()}${selection(one, scope, depth)}`)
    return ` { ${typename(scope)} ${ofTypes.join(' ')} }`
  }

  function typename(scope: Scope): string {
    const alias = choose(4) === 3 && left.aliases-- > 0 ? oneOf(aliases) : '__typename'
    if (!scope.takes(alias, '__typename')) {
      const own = `free${(used % 5) + 1}`
      if (!scope.takes(own, '__typename')) return '...{__typename @skip(if: true)}'
      scope.add(own, '__typename')
      return `${own}: __typename`
    }
    scope.add(alias, '__typename')
    return `${alias === '__typename' ? '' : `${alias}: `}__typename${condition()}`
  }

  function part(type: GraphQLObjectType, scope: Scope, depth: number): string {
    const kind = choose(12)
    if (kind === 9 && depth < 5)
      return `... on ${type.name}${condition()}${selection(type, scope, depth)}`
    if (kind === 10) return `...${condition()}${selection(type, scope, depth)}`
    if (kind === 11 && depth < 5) return spread(type, scope, depth)
    return kind === 8 && !(isChange && depth === 0) ? typename(scope) : field(type, scope, depth)
  }

  function spread(type: GraphQLObjectType, scope: Scope, depth: number): string {
    const known = fragments.find((one) => one.type === type.name && scope.takesFragment(one.name))
    if (known && depth < 2 && choose(2) === 1) {
      scope.addFragment(known.name)
      return `...${known.name}${condition()}`
    }
    const name = `F${fragments.length}`
    const place = fragments.push({ name, type: '', text: '' }) - 1
    const recorded = scope.record(name)
    const text = selection(type, recorded, depth)
    fragments[place] = { name, type: type.name, text: `fragment ${name} on ${type.name}${text}` }
    return `...${name}${condition()}`
  }

  function selection(type: GraphQLObjectType, scope: Scope, depth: number): string {
    const count = 1 + choose(depth < 3 ? 5 : 3)
    const parts: string[] = []
    for (let index = 0; index < count && (index === 0 || left.fields-- > 0); index += 1) {
      parts.push(part(type, scope, depth))
    }
    return ` { ${parts.join(' ')} }`
  }

  const root = isChange ? schema.getMutationType() : schema.getQueryType()
  if (!root) throw new Error('There is no such root.')
  const body = selection(root, scopes, 0)
  const texts = [body, ...fragments.map(({ text }) => text)].join(' ')
  // A field that did not fit has left its variables.
  const asked = declared.filter(({ name }) => new RegExp(`\\$${name}\\b`).test(texts))
  const list = asked.length === 0 ? '' : ` (${asked.map(({ text }) => text).join(', ')})`
  return {
    query: `${isChange ? 'mutation' : 'query'}${list}${texts}`,
    variables: Object.fromEntries(
      asked.flatMap(({ name }) => (name in variables ? [[name, variables[name]]] : [])),
    ),
  }
}

class EnumName {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf)
  if (value instanceof EnumName) return value.name
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plainOf(one)]))
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (value instanceof EnumName) return value.name
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${name}: ${literal(one)}`)
    .join(', ')}}`
}
