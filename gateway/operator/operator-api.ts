import type { Request, RequestHandler } from 'express'
import { z } from 'zod'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { callOf } from '../../rest-facade/http/call.ts'
import { ApiError } from '../../rest-facade/http/errors.ts'
import { parseInput } from '../../rest-facade/http/input.ts'
import { sendJson } from '../../rest-facade/http/respond.ts'
import { internalRoles } from '../../schema/credentials/caller.ts'
import type { ExecuteDocument } from '../internal/execute-document.ts'
import { type OperatorOperation, readOperatorOperations } from './operator-operations.ts'
import { type Operator, type OperatorSessions, operatorCaller } from './operator-sessions.ts'
import { type OwnOperation, type SignInMethod, signInOperations } from './sign-in-operations.ts'

export interface OperatorApiOptions {
  readonly sessions: OperatorSessions
  readonly execute: Execute
  readonly executeDocument: ExecuteDocument
  readonly signInMethods: readonly SignInMethod[]
}

const body = z.strictObject({
  operation: z.string().min(1).max(100),
  variables: z.record(z.string(), z.unknown()).optional(),
  /** The page asks by itself: the session is not used. */
  isBackground: z.boolean().optional(),
})

/**
 * Answers an operation of the page: `{ operation, variables, isBackground }` → `{ data }`. Operations about the
 * session are answered here; the others run as the operator, and the graph checks the role.
 */
export function answerOperator(options: OperatorApiOptions): RequestHandler {
  const { sessions, executeDocument, signInMethods } = options
  const own = signInOperations(options)
  const persisted = readOperatorOperations()

  function requireOperator(operator: Operator | null): Operator {
    if (operator) return operator
    throw new ApiError('AUTHENTICATION_REQUIRED', 'Sign in to the page of operators.', {
      proofs: { methods: signInMethods },
    })
  }

  return async function answerOperator(req, res) {
    const call = callOf(res)
    const { operation: name, variables = {}, isBackground } = bodyOf(req)
    const operator = await sessions.operatorOf(req, call, { isBackground })
    const ownOperation = own.get(name)
    if (!ownOperation?.isOpen) requireOperator(operator)
    const answer = ownOperation
      ? await runOwn(ownOperation)
      : await runPersisted(requireOperator(operator))
    const { headers = {}, ...members } = answer
    sendJson(res, 200, members, headers)

    function runOwn({ run }: OwnOperation) {
      return run({ req, call, variables, operator })
    }

    async function runPersisted(known: Operator) {
      const found = persisted.get(name)
      if (!found) throw new ApiError('NOT_FOUND', 'The page of operators has no such operation.')
      requireProof(found, known)
      // The merged graph is loaded with the first document, because most processes run none.
      const { runDocument } = await import('./run-document.ts')
      const ran = await runDocument(executeDocument, found, variables, operatorCaller(call, known))
      return { ...ran, headers: {} }
    }
  }
}

function bodyOf(req: Request): z.infer<typeof body> {
  parseInput({ body }, { params: {}, query: {}, body: req.body })
  return body.parse(req.body)
}

/** An act that needs a fresh proof says so only to whom the proof would help. */
function requireProof({ provenRole }: OperatorOperation, operator: Operator): void {
  if (provenRole === null) return
  const isPermitted = internalRoles.indexOf(operator.role) <= internalRoles.indexOf(provenRole)
  if (!isPermitted) throw new ApiError('FORBIDDEN', 'This caller may not use this operation.')
  if (operator.isProofFresh) return
  const method = operator.oidc ? 'oidc' : 'link'
  throw new ApiError('STEP_UP_REQUIRED', 'Confirm that it is you, and repeat the act.', {
    proofs: { methods: [method] },
  })
}
