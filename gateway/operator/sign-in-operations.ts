import type { Request } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Execute } from '../../rest-facade/graph/graph-client.ts'
import { type Call, logFieldsOf } from '../../rest-facade/http/call.ts'
import { ApiError } from '../../rest-facade/http/errors.ts'
import { parseInput } from '../../rest-facade/http/input.ts'
import type { Headers } from '../../rest-facade/http/respond.ts'
import { sha256 } from '../../schema/credentials/secrets.ts'
import type { OidcClient } from './oidc/sign-in.ts'
import { signOutAtIssuer } from './oidc/sign-out.ts'
import { endedOperatorCookie } from './operator-cookie.ts'
import { asService, type Operator, type OperatorSessions } from './operator-sessions.ts'

/** How operators can sign in: with a link always, and at an issuer where one is configured. */
export type SignInMethod = 'oidc' | 'link'

/** A request of the page, with what is known of it. */
export interface Asked {
  readonly req: Request
  readonly call: Call
  readonly variables: Readonly<Record<string, unknown>>
  /** Null: the browser has no open session. */
  readonly operator: Operator | null
}

export interface Answer {
  readonly data: object
  readonly headers?: Headers
}

/** An operation that the gateway answers itself. */
export interface OwnOperation {
  /** Whether it is for browsers without a session too. */
  readonly isOpen: boolean
  readonly run: (asked: Asked) => Promise<Answer>
}

interface SignInOptions {
  readonly log: Logger
  /** The issuer at which operators sign in; null: there is none. */
  readonly oidc: OidcClient | null
  readonly sessions: OperatorSessions
  readonly execute: Execute
  readonly signInMethods: readonly SignInMethod[]
}

const token = z.string().min(1).max(200)
const linkToken = z.strictObject({ token })
const signInVariables = z.strictObject({ token, replaces: z.boolean().optional() })
const nothing = z.strictObject({})

type Named = readonly [name: string, operation: OwnOperation]

/** The operations about the session itself, by name. */
export function signInOperations(options: SignInOptions): ReadonlyMap<string, OwnOperation> {
  return new Map([...linkOperations(options), ...sessionOperations(options)])
}

/** What links do. */
function linkOperations({ sessions, execute }: SignInOptions): readonly Named[] {
  /** Whom a link signs in. Throws NOT_FOUND for one that does not; a token that nobody was given is a guess. */
  async function preview(linkToken: string, call: Call) {
    const found = await execute(
      'GetOperatorLink',
      { tokenHash: sha256(linkToken) },
      asService(call),
    )
    if (!found) throw wrongToken
    if (!found.isUsable) throw refusal()
    return found
  }

  async function open(asked: Asked, token: string, isStepUp: boolean): Promise<Answer> {
    const { req, call } = asked
    const { name, role } = await preview(token, call)
    const cookie = await sessions
      .open(req, call, { linkToken: token }, { isStepUp })
      .catch((error: unknown) => {
        // Another request has used it meanwhile.
        throw error instanceof ApiError && error.code === 'NOT_FOUND' ? refusal() : error
      })
    return { data: { name, role }, headers: { 'Set-Cookie': cookie } }
  }

  return [
    [
      'Preview',
      {
        isOpen: true,
        async run({ call, variables, operator }) {
          const { token } = parsed(linkToken, variables)
          const { name, role, expiresAt } = await preview(token, call)
          const signedInAs = operator && { name: operator.name, role: operator.role }
          return { data: { name, role, expiresAt, signedInAs } }
        },
      },
    ],
    [
      'SignIn',
      {
        isOpen: true,
        async run(asked) {
          const { token, replaces = false } = parsed(signInVariables, asked.variables)
          if (asked.operator && !replaces) throw signedIn(asked.operator)
          return open(asked, token, false)
        },
      },
    ],
    [
      'StepUp',
      {
        isOpen: false,
        run: async (asked) => open(asked, parsed(linkToken, asked.variables).token, true),
      },
    ],
  ]
}

/** What a session that is open can do with itself. */
function sessionOperations({
  sessions,
  signInMethods,
  oidc,
  log,
}: SignInOptions): readonly Named[] {
  /** Where the browser ends its session at the issuer; null without one. */
  async function leaveIssuer(call: Call, operator: Operator | null): Promise<string | null> {
    if (!oidc || !operator?.oidc) return null
    return signOutAtIssuer(oidc, operator.oidc, (internal) => {
      log.warn({ ...logFieldsOf(call), internal }, 'The issuer was not told of a sign-out')
    })
  }

  function me({ name, role, provenAt, isProofFresh, expiresAt }: Operator): object {
    return { name, role, provenAt, isProofFresh, expiresAt, signInMethods }
  }

  return [
    [
      'SignOut',
      {
        isOpen: true,
        async run({ req, call, variables, operator }) {
          parsed(nothing, variables)
          await sessions.end(req, call)
          const signOutUrl = await leaveIssuer(call, operator)
          return { data: signOutUrl === null ? {} : { signOutUrl }, headers: signedOut }
        },
      },
    ],
    [
      'Me',
      {
        isOpen: false,
        async run({ variables, operator }) {
          parsed(nothing, variables)
          if (!operator) throw new Error('The session was not looked up.')
          return { data: me(operator) }
        },
      },
    ],
  ]
}

/** The back button must show nothing of an account. */
const signedOut = {
  'Set-Cookie': endedOperatorCookie(),
  'Clear-Site-Data': '"cache", "storage"',
}

function parsed<Schema extends z.ZodObject>(
  schema: Schema,
  variables: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  parseInput({ body: schema }, { params: {}, query: {}, body: variables })
  return schema.parse(variables)
}

/** The one answer to all links that do not sign in: it tells nothing about them. */
function refusal(): ApiError {
  return new ApiError('NOT_FOUND', 'This link is invalid or no longer works. Make another one.')
}

/** The refusal of a link that nobody has made. */
const wrongToken = refusal()

/** Whether the caller has guessed: a link that was used before is no guess. */
export function isWrongToken(error: unknown): boolean {
  return error === wrongToken
}

function signedIn({ name, role }: Operator): ApiError {
  return new ApiError(
    'CONFLICT',
    `This browser is signed in as ${name} (${role}): sign out first, or say that the session is replaced.`,
  )
}
