import { expect, test } from 'vitest'
import { z } from 'zod'
import { boundedRecord, usual } from '../../../rest-facade/http/fields/record.ts'
import { checkInput, text } from '../../../rest-facade/http/input.ts'
import { routes } from '../../../rest-facade/routes/index.ts'

/** Every member of a query or a body, with the schema of its part. */
const members = routes.flatMap((route) =>
  (['query', 'body'] as const).flatMap((where) => {
    const schema = where in route ? Object(route)[where] : undefined
    const names = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
    return names.map((name) => ({ path: route.path, where, schema, name }))
  }),
)

const many = 20_000
/** Values that no text, number or record is; some have a length that a text may not have. */
const lists = [['', 'b'], [], Array.from({ length: many }, () => 'x')]
const objects = [{}, { length: 0 }, { length: many }]

function messagesOf({ where, schema, name }: (typeof members)[number], value: unknown): string[] {
  const raw = { params: {}, query: {}, body: {}, [where]: { [name]: value } }
  const { details } = checkInput({ [where]: schema }, raw)
  return details.filter(({ field }) => field === name).map(({ message }) => message)
}

/** Whether a text is refused because it is one, as a number is. */
function isNoText(member: (typeof members)[number]): boolean {
  const [message] = messagesOf(member, 'x')
  return message !== undefined && message === messagesOf(member, 5)[0]
}

test('a member of any route that has a value of another kind has one problem: repeated parameters, lists, objects', () => {
  const wrong = members.flatMap((member) =>
    [...lists, ...objects]
      .map((value) => messagesOf(member, value))
      .filter((messages) => messages.length > 1)
      .map((messages) => [member.path, member.name, ...messages]),
  )

  expect(members.length).toBeGreaterThan(80)
  expect(wrong).toEqual([])
})

test('a text in place of a list has one problem, however long it is', () => {
  const listed = members.filter(isNoText)

  expect(listed.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['budgets', 'calls', 'scopes', 'ip_allowlist', 'redirect_uris']),
  )
  for (const member of listed) expect(messagesOf(member, 'x'.repeat(many))).toHaveLength(1)
})

test('a text that must not be blank has one problem when it is empty', () => {
  for (const member of members) expect(messagesOf(member, '').length).toBeLessThanOrEqual(1)
})

test('a member of a record that has a value of another kind has one problem', () => {
  const body = z.strictObject({
    metadata: boundedRecord(text(1, 10), { message: 'must be an object', ...usual }),
  })

  const { details } = checkInput(
    { body },
    { params: {}, query: {}, body: { metadata: { a: Array(20).fill('x'), b: 'fine' } } },
  )

  expect(details.map(({ field }) => field)).toEqual(['metadata.a'])
})

test('a text with several faults has a problem for each', () => {
  const body = z.strictObject({ name: text(1, 10) })

  const { details } = checkInput(
    { body },
    { params: {}, query: {}, body: { name: `${'x'.repeat(20)}\0` } },
  )

  expect(details.map(({ message }) => message)).toEqual([
    'must have at most 10 characters',
    'must not contain NUL',
  ])
})
