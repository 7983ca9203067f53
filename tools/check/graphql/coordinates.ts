import {
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'

/** A named part of a schema. */
export interface Named {
  readonly what: 'type' | 'input' | 'enum' | 'value' | 'field' | 'argument' | 'member'
  /** `Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE`. */
  readonly coordinate: string
  readonly name: string
  readonly description: string | null | undefined
  /** The type name of a field, an argument or a member, without lists and `!`; else empty. */
  readonly type: string
}

/** All named parts of a schema, except those of GraphQL itself. */
export function coordinatesIn(schema: GraphQLSchema): Named[] {
  return Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => [namedType(type), ...partsOf(type)])
}

function namedType(type: GraphQLNamedType): Named {
  if (isEnumType(type)) return toNamed('enum', type.name, type)
  return toNamed(isInputObjectType(type) ? 'input' : 'type', type.name, type)
}

function partsOf(type: GraphQLNamedType): Named[] {
  const at = (name: string) => `${type.name}.${name}`
  if (isEnumType(type)) {
    return type.getValues().map((value) => toNamed('value', at(value.name), value))
  }
  if (isInputObjectType(type)) {
    const members = Object.values(type.getFields())
    return members.map((member) => toNamed('member', at(member.name), member, member.type))
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).flatMap((field) => [
    toNamed('field', at(field.name), field, field.type),
    ...field.args.map((argument) =>
      toNamed('argument', `${at(field.name)}(${argument.name}:)`, argument, argument.type),
    ),
  ])
}

function toNamed(
  what: Named['what'],
  coordinate: string,
  { name, description }: Pick<Named, 'name' | 'description'>,
  type?: GraphQLType,
): Named {
  return { what, coordinate, name, description, type: type ? getNamedType(type).name : '' }
}
