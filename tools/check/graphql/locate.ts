import { Kind, type NameNode, parse } from 'graphql'

/** `Type`, `Type.field`, `Type.field(argument:)`, `Enum.VALUE` → its line, counted from 1. */
export type Lines = ReadonlyMap<string, number>

/** The line of each definition of a schema: the line of its name, below its description. */
export function linesOf(sdl: string): Lines {
  const lines = new Map<string, number>()
  function note(coordinate: string, { loc }: NameNode): void {
    if (loc && !lines.has(coordinate)) lines.set(coordinate, loc.startToken.line)
  }
  for (const definition of parse(sdl).definitions) {
    if (!('name' in definition) || !definition.name) continue
    const type = definition.name.value
    note(type, definition.name)
    for (const { name } of ('values' in definition && definition.values) || []) {
      note(`${type}.${name.value}`, name)
    }
    for (const field of ('fields' in definition && definition.fields) || []) {
      const coordinate = `${type}.${field.name.value}`
      note(coordinate, field.name)
      const args = field.kind === Kind.FIELD_DEFINITION ? (field.arguments ?? []) : []
      for (const { name } of args) note(`${coordinate}(${name.value}:)`, name)
    }
  }
  return lines
}

/** The line of the coordinate, or of its parent if it was removed. */
export function lineOf(lines: Lines, coordinate: string): number | undefined {
  const field = coordinate.replace(/\(.*$/, '')
  const type = coordinate.replace(/\..*$/, '')
  return lines.get(coordinate) ?? lines.get(field) ?? lines.get(type)
}
