import { setTimeout as sleep } from 'node:timers/promises'
import type { Request } from 'express'
import type { Logger } from 'pino'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { type Call, logFieldsOf } from '../../rest-facade/http/call.ts'
import { unavailable } from '../../rest-facade/http/errors.ts'
import { askAgain } from './oidc/ask-again.ts'
import { IssuerFailure, issuerFailure } from './oidc/issuer-failure.ts'
import { lowerRole } from './oidc/operator-roles.ts'
import type { OidcClient } from './oidc/sign-in.ts'
import { asService, type Operator, type OperatorSessions } from './operator-sessions.ts'

interface RoleCheckOptions {
  /** Null: no issuer is configured any more. */
  readonly oidc: OidcClient | null
  readonly sessions: OperatorSessions
  readonly execute: Execute
  readonly log: Logger
}

/**
 * Returns the operator with the role that the issuer has said within 15 minutes; null if the session is over. Throws
 * SERVICE_UNAVAILABLE while the issuer cannot be asked.
 */
export type CheckRole = (req: Request, call: Call, operator: Operator) => Promise<Operator | null>

/** Another process that asks for this session is waited for: as long as it may take. */
const mostTurns = 120
const turnMs = 250

/** Has the issuer say every 15 minutes which role an operator has. Within a session a role never grows. */
export function roleCheck(options: RoleCheckOptions): CheckRole {
  const { oidc, sessions, execute, log } = options

  async function ask(client: OidcClient, operator: Operator, call: Call): Promise<void> {
    const { role, oidc: kept } = operator
    if (!kept) throw new Error('A link knows no issuer.')
    const now = await askAgain(client, kept).catch(issuerFailure)
    if (!(now instanceof IssuerFailure)) {
      const lower = now.role && lowerRole(role, now.role)
      return sessions.answerRole(operator, call, { ...now, role: lower })
    }
    const { kind, reason } = now
    const fields = { ...logFieldsOf(call), operator: operator.name, internal: reason }
    log.warn(fields, 'The issuer has not confirmed the role of an operator')
    const isRefused = kind === 'refused'
    await sessions.answerRole(operator, call, isRefused ? { role: null, refreshToken: null } : null)
    if (!isRefused) throw issuerUnavailable()
  }

  return async function checkRole(req, call, operator) {
    if (operator.oidc && !oidc) return null
    let current: Operator | null = operator
    for (let turn = 0; oidc && current?.oidc?.isRoleDue; turn += 1) {
      if (turn >= mostTurns) throw issuerUnavailable()
      const { sessionId: id } = current
      const isOurs = await execute('TakeOperatorRoleQuestion', { id }, asService(call))
      if (isOurs) await ask(oidc, current, call)
      else await sleep(turnMs)
      current = await sessions.operatorOf(req, call, { isBackground: true })
    }
    return current
  }
}

function issuerUnavailable() {
  return unavailable(
    'The issuer at which you signed in cannot be asked for your role at the moment. Try again.',
  )
}
