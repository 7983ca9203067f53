import { type ExecutionResult, GraphQLError } from 'graphql'
import { describe, expect, test } from 'vitest'
import { runDocument } from '../../../gateway/operator/run-document.ts'
import { serviceCaller } from '../../../schema/credentials/caller.ts'

const query = { document: '{ jwks { __typename } }', isAct: false, provenRole: null }
const act = { document: 'mutation { __typename }', isAct: true, provenRole: null }
const failure = (code: string, path = 'a') =>
  new GraphQLError(`It is ${code}.`, { extensions: { code }, path: [path] })
const outage = failure('SERVICE_UNAVAILABLE')

const run = (operation: typeof query, result: ExecutionResult) =>
  runDocument(async () => result, operation, {}, serviceCaller())

describe('the answer of an operation of the operators’ page', () => {
  test('is the data', async () => {
    expect(await run(query, { data: { a: 1 } })).toEqual({ data: { a: 1 } })
  })

  test('lacks only what is not available, and says so', async () => {
    expect(await run(query, { data: { a: null, b: 1 }, errors: [outage] })).toEqual({
      data: { a: null, b: 1 },
      errors: [{ path: ['a'], code: 'SERVICE_UNAVAILABLE', message: 'It is SERVICE_UNAVAILABLE.' }],
    })
  })

  test.each<[string, typeof query, ExecutionResult, string]>([
    ['nothing is available', query, { data: { a: null }, errors: [outage] }, 'SERVICE_UNAVAILABLE'],
    ['there is no data', query, { data: null, errors: [outage] }, 'SERVICE_UNAVAILABLE'],
    ['an act fails', act, { data: { a: null, b: 1 }, errors: [outage] }, 'SERVICE_UNAVAILABLE'],
    [
      'a part is forbidden',
      query,
      { data: { a: null, b: 1 }, errors: [failure('FORBIDDEN')] },
      'FORBIDDEN',
    ],
    [
      'a part is missing for another reason too',
      query,
      { data: { a: null, b: 1 }, errors: [failure('NOT_FOUND'), outage] },
      'NOT_FOUND',
    ],
  ])('is a failure if %s', async (_, operation, result, code) => {
    await expect(run(operation, result)).rejects.toMatchObject({ code })
  })

  test('is an unexpected failure where the graph has one', async () => {
    const error = new GraphQLError('boom')

    await expect(run(query, { data: { b: 1 }, errors: [error] })).rejects.toBe(error)
  })
})
