import type { Request } from 'express'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import type { Call } from '../../rest-facade/http/call.ts'
import {
  type InternalCaller,
  type InternalRole,
  internalRoles,
  type ServiceCaller,
  serviceCaller,
} from '../../schema/credentials/caller.ts'
import { deriveKey, open, seal, sha256 } from '../../schema/credentials/secrets.ts'
import type { BodyOf } from '../../schema/generated/operations.ts'
import { operatorProofSeconds } from '../../schema/vocabulary/operators.ts'
import { operatorCookie, readOperatorCookie } from './operator-cookie.ts'

/** The operator at the browser. */
export interface Operator {
  /** `ops_…` */
  readonly sessionId: string
  /** The name in the audit trail. */
  readonly name: string
  readonly role: InternalRole
  /** The newest proof of who is at the browser: ISO 8601. */
  readonly provenAt: string
  /** Whether that proof permits what needs a fresh one. */
  readonly isProofFresh: boolean
  /** When the session ends, however it is used: ISO 8601. */
  readonly expiresAt: string
  /** What the issuer has said; null: a link has signed in. */
  readonly oidc: OperatorAtIssuer | null
}

export interface OperatorAtIssuer {
  readonly sub: string
  /** Null: the issuer has given none. */
  readonly refreshToken: string | null
  /** When the issuer has last said the role: ISO 8601. */
  readonly roleAskedAt: string
  /** Whether the issuer must be asked again, before the session is used. */
  readonly isRoleDue: boolean
}

/** What signs an operator in: a link, or what an issuer has said. */
export type OperatorProof =
  | { readonly linkToken: string }
  | {
      readonly name: string
      readonly role: InternalRole
      /** When the operator has proven to the issuer who they are. */
      readonly provenAt: Date
      readonly oidc: { readonly sub: string; readonly refreshToken: string | null }
    }

interface SignInOptions {
  /** The session of the browser must be of the same name and role: CONFLICT otherwise. */
  readonly isStepUp?: boolean
  /**
   * SHA-256 of the cookie that the browser had when it left for the issuer; it does not send the cookie when it comes
   * back from there.
   */
  readonly previousHash?: string | null
}

export interface OperatorSessions {
  /**
   * The operator whose cookie the request has; null without an open session. The request counts as use of the session
   * unless a page has made it by itself.
   */
  operatorOf(
    req: Request,
    call: Call,
    options?: { readonly isBackground?: boolean },
  ): Promise<Operator | null>
  /** SHA-256 of the cookie of the request; null without one. */
  hashOf(req: Request): string | null
  /** The operator of a cookie, without a use of the session. */
  find(secretHash: string, call: Call): Promise<Operator | null>
  /**
   * Signs the browser in, and returns the `Set-Cookie` value. The session that it had before ends. Throws NOT_FOUND
   * for a link that does not sign in.
   */
  open(req: Request, call: Call, proof: OperatorProof, options?: SignInOptions): Promise<string>
  /** Ends the session of the browser; the cookie is the caller's to end. */
  end(req: Request, call: Call): Promise<void>
  /** Notes what the issuer of a session has said; null: it could not be asked. */
  answerRole(operator: Operator, call: Call, answer: RoleAnswer | null): Promise<void>
}

export interface RoleAnswer {
  /** Null ends the session. */
  readonly role: InternalRole | null
  readonly refreshToken: string | null
}

interface SessionsOptions {
  readonly execute: Execute
  readonly keyPrefix: string
  readonly gatewaySecret: string
}

/** Looks sessions up, and remembers none: one that has ended must not be accepted again, in no process. */
export function operatorSessions(options: SessionsOptions): OperatorSessions {
  const { execute, keyPrefix } = options
  const sealKey = deriveKey(options.gatewaySecret, 'operator-session')

  function hashOf(req: Request): string | null {
    const secret = readOperatorCookie(req, keyPrefix)
    return secret && sha256(secret)
  }

  async function lookUp(secretHash: string, call: Call) {
    const found = await execute('VerifyOperatorSession', { secretHash }, asService(call))
    const role = internalRoles.find((known) => known === found?.role)
    // A later build has added this role, and this build does not know its rights.
    if (!found || !role) return null
    const { id, name, provenAt, expiresAt, isUseDue } = found
    const isProofFresh = Date.now() - Date.parse(provenAt) < operatorProofSeconds * 1000
    const oidc = issuerPartOf(found, sealKey)
    const operator = { sessionId: id, name, role, provenAt, isProofFresh, expiresAt, oidc }
    return { operator, isUseDue }
  }

  return {
    hashOf,
    async find(secretHash, call) {
      return (await lookUp(secretHash, call))?.operator ?? null
    },
    async operatorOf(req, call, { isBackground = false } = {}) {
      const secretHash = hashOf(req)
      const found = secretHash === null ? null : await lookUp(secretHash, call)
      if (!found) return null
      const { operator, isUseDue } = found
      if (isUseDue && !isBackground) {
        await execute('NoteUseOfOperatorSession', { id: operator.sessionId }, asService(call))
      }
      return operator
    },
    async open(req, call, proof, { isStepUp = false, previousHash = hashOf(req) } = {}) {
      const input = { ...inputOf(proof, sealKey), previousHash, isStepUp }
      const { secret } = await execute('OpenOperatorSession', { input }, asService(call))
      return operatorCookie(secret)
    },
    async end(req, call) {
      const secretHash = hashOf(req)
      if (secretHash) await execute('EndOperatorSession', { secretHash }, asService(call))
    },
    async answerRole({ sessionId, oidc }, call, said) {
      const { role = null, refreshToken = null } = said ?? {}
      const sealed = refreshToken && seal(sealKey, refreshToken, oidc?.sub ?? '')
      const input = { id: sessionId, isAnswered: said !== null, role, refreshToken: sealed }
      await execute('RecordOperatorRole', { input }, asService(call))
    },
  }
}

type FoundSession = NonNullable<BodyOf<'VerifyOperatorSession'>>

function issuerPartOf(found: FoundSession, sealKey: Uint8Array): OperatorAtIssuer | null {
  const { subject, refreshToken, roleAskedAt, isRoleDue } = found
  if (subject === null || roleAskedAt === null) return null
  const opened = refreshToken && open(sealKey, refreshToken, subject)
  return { sub: subject, roleAskedAt, isRoleDue, refreshToken: opened }
}

function inputOf(proof: OperatorProof, sealKey: Uint8Array) {
  if ('linkToken' in proof) return { linkTokenHash: sha256(proof.linkToken) }
  const { name, role, provenAt, oidc } = proof
  const { sub: subject, refreshToken } = oidc
  const sealed = refreshToken && seal(sealKey, refreshToken, subject)
  return { name, role, provenAt, subject, refreshToken: sealed }
}

/** The gateway itself, at the address of the client: lines of the audit trail say where a sign-in came from. */
export function asService({ environment, requestId, traceId, address }: Call): ServiceCaller {
  return { ...serviceCaller({ environment, requestId, traceId }), address: address || null }
}

/** The operator as the graph knows them. */
export function operatorCaller(
  { environment, requestId, traceId, address }: Call,
  { sessionId, name, role }: Operator,
): InternalCaller {
  const call = { environment, requestId, traceId, address: address || null }
  return { kind: 'internal', role, operator: name, tokenId: sessionId, ...call }
}
