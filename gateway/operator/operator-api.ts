import type { Request, RequestHandler } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { type Call, callOf } from '../../rest-facade/http/call.ts'
import { ApiError } from '../../rest-facade/http/errors.ts'
import { parseInput } from '../../rest-facade/http/input.ts'
import { sendJson } from '../../rest-facade/http/respond.ts'
import { internalRoles } from '../../schema/credentials/caller.ts'
import type { ExecuteDocument } from '../internal/execute-document.ts'
import type { OidcClient } from './oidc/sign-in.ts'
import { type OperatorOperation, readOperatorOperations } from './operator-operations.ts'
import { type Operator, type OperatorSessions, operatorCaller } from './operator-sessions.ts'
import { roleCheck } from './role-check.ts'
import { type Answer, type SignInMethod, signInOperations } from './sign-in-operations.ts'

export interface OperatorApiOptions {
  readonly log: Logger
  /** The issuer at which operators sign in; null: there is none. */
  readonly oidc: OidcClient | null
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
  const checkRole = roleCheck(options)
  const persisted = readOperatorOperations()

  function signedOut(message: string): ApiError {
    const proofs = { methods: signInMethods }
    return new ApiError('AUTHENTICATION_REQUIRED', message, { proofs })
  }

  async function requireOperator(req: Request, call: Call, operator: Operator | null) {
    if (!operator) throw signedOut('Sign in to the page of operators.')
    const current = await checkRole(req, call, operator)
    if (current) return current
    throw signedOut('The issuer no longer confirms your role, so you were signed out.')
  }

  return async function answerOperator(req, res) {
    const call = callOf(res)
    const { operation: name, variables = {}, isBackground } = bodyOf(req)
    const found = await sessions.operatorOf(req, call, { isBackground })
    const ownOperation = own.get(name)
    const answer = ownOperation?.isOpen
      ? await ownOperation.run({ req, call, variables, operator: found })
      : await runAs(await requireOperator(req, call, found))
    const { headers = {}, ...members } = answer
    sendJson(res, 200, members, headers)

    async function runAs(operator: Operator): Promise<Answer> {
      if (ownOperation) return ownOperation.run({ req, call, variables, operator })
      return runPersisted(operator)
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
