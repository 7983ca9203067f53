import type { ApolloServer } from '@apollo/server'
import { expressMiddleware } from '@as-integrations/express5'
import express, { type RequestHandler } from 'express'
import { bearerOf } from '../../rest-facade/http/authorization.ts'
import { ApiError } from '../../rest-facade/http/errors.ts'
import type { Caller } from '../../schema/credentials/caller.ts'
import { type CallerKeys, openCaller } from '../../schema/credentials/caller-token.ts'
import { belowCaller } from '../../schema/process/tracing.ts'
import type { InternalGraphql } from './internal-app.ts'
import { maxMessageBytes } from './subgraph-client.ts'

/**
 * GraphQL of one subgraph. Only requests with a caller token of another process of this gateway are
 * accepted; all others are refused, whatever their headers say.
 */
export function subgraphGraphql(
  name: string,
  graphql: ApolloServer<{ readonly caller: Caller }>,
  keys: CallerKeys,
): InternalGraphql {
  const callers = new WeakMap<object, Caller>()

  const joinTrace: RequestHandler = function joinTrace(req, _res, next) {
    belowCaller(req.headers, next)
  }

  const requireCaller: RequestHandler = async function requireCaller(req, _res, next) {
    const token = bearerOf(req)
    const caller = token === undefined ? null : await openCaller(keys, name, token)
    if (!caller) {
      throw new ApiError('AUTHENTICATION_REQUIRED', 'Only this gateway may send queries here.')
    }
    callers.set(req, caller)
    next()
  }

  const answer = expressMiddleware(graphql, {
    async context({ req }) {
      const caller = callers.get(req)
      if (!caller) throw new Error('The caller was not checked.')
      return { caller }
    },
  })
  const read = express.json({ limit: maxMessageBytes })
  return { handlers: [joinTrace, requireCaller, read, answer], isSealed: true }
}
