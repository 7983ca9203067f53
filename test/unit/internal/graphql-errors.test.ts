import { Writable } from 'node:stream'
import { GraphQLError } from 'graphql'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { ExecuteDocument } from '../../../gateway/internal/execute-document.ts'
import { createGraphqlServer } from '../../../gateway/internal/graphql-server.ts'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { DomainError } from '../../../subgraphs/shared/graph/errors.ts'

const caller: Caller = {
  ...{ kind: 'internal', role: 'admin', tokenId: 'tok_test', environment: 'live' },
  ...{ requestId: 'req_test', traceId: '', address: null },
}

/** The answer to a tool when the graph fails like this, and the lines of the log. */
async function failWith(executeDocument: ExecuteDocument) {
  const lines: string[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(String(line))
      done()
    },
  })
  const server = await createGraphqlServer({ executeDocument, log: pino({}, stream) })
  const { body } = await server.executeOperation(
    { query: '{ jwks { __typename } }' },
    { contextValue: { caller } },
  )
  await server.stop()
  if (body.kind !== 'single') throw new Error('Not one answer.')
  return { errors: body.singleResult.errors, log: lines.join('') }
}

const secret = 'password of postgres://gateway@10.0.0.7'

test.each<[string, ExecuteDocument]>([
  [
    'a resolver',
    async () => ({
      errors: [new GraphQLError(secret, { path: ['jwks'], originalError: new Error(secret) })],
    }),
  ],
  [
    'another code of its own',
    async () => ({ errors: [new GraphQLError(secret, { extensions: { code: 'ECONNREFUSED' } })] }),
  ],
  ['the executor', () => Promise.reject(new TypeError(secret))],
])('an unexpected error of %s is masked and logged', async (_, fails) => {
  const { errors, log } = await failWith(fails)

  expect(errors).toMatchObject([
    {
      message: 'Something went wrong on our side.',
      extensions: { code: 'INTERNAL_ERROR' },
    },
  ])
  expect(JSON.stringify(errors)).not.toContain('postgres')
  expect(log).toContain('"msg":"Internal GraphQL failed"')
  expect(log).toContain(secret)
})

test('an expected error keeps its code, message, path and details, and is not logged', async () => {
  const { message, extensions } = new DomainError('INVALID_REQUEST', 'reason: is needed', {
    details: [{ field: 'reason', in: 'body', message: 'is needed' }],
  })
  const path = ['jwks']

  const { errors, log } = await failWith(async () => ({
    errors: [new GraphQLError(message, { path, extensions })],
  }))

  expect(errors).toEqual([{ message, path, extensions }])
  expect(log).toBe('')
})
