import { expect, test } from 'vitest'
import { type JsonSchema, readApiDocument } from '../../support/conformity/api-document.ts'

const document = readApiDocument()

/** Every schema in a schema, by its place; references are followed. */
function schemasIn(given: unknown, place: string): (readonly [string, JsonSchema])[] {
  const schema = Object(document.resolve(given))
  const named = Object.entries(Object(schema.properties))
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => Object.values(Object(schema[name])))
  return [
    [place, schema],
    ...named.flatMap(([name, child]) => schemasIn(child, `${place}.${name}`)),
    ...parts.flatMap((child) => schemasIn(child, place)),
    ...[schema.items, schema.additionalProperties]
      .filter((child) => typeof child === 'object')
      .flatMap((child) => schemasIn(child, `${place}.*`)),
  ]
}

const bodies = document.operations.flatMap(({ id, requestBody }) =>
  Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => schemasIn(schema, id)),
)

test('every list in a body has a longest length, of at most 1000 entries', () => {
  const lists = bodies.filter(([, { type }]) => type === 'array')
  const long = lists.filter(([, { maxItems }]) => !(Number(maxItems) <= 1000))

  expect(lists.length).toBeGreaterThan(10)
  expect(long.map(([place]) => place)).toEqual([])
})

test('every record whose names a client chooses has at most 100 members, with names of at most 128 characters', () => {
  const records = bodies.filter(([, one]) => typeof one.additionalProperties === 'object')
  const large = records.filter(
    ([, { maxProperties, propertyNames }]) =>
      !(Number(maxProperties) <= 100 && Number(Object(propertyNames).maxLength) <= 128),
  )

  expect(records.length).toBeGreaterThan(1)
  expect(large.map(([place]) => place)).toEqual([])
})
