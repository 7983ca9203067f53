import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { withoutKeys } from '../../../schema/credentials/api-key-format.ts'
import { actorOfAccount, actorOfTool, type Caller } from '../../../schema/credentials/caller.ts'
import { sha256 } from '../../../schema/credentials/secrets.ts'
import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'
import { cut } from '../../../schema/vocabulary/field-problems.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import type { Database, Transaction } from '../database/database.ts'
import { forgetRows } from '../database/forget.ts'
import type { Statement } from '../database/statement.ts'
import type { AuditLine, GraphContext } from '../graph/context.ts'
import { databaseFailure } from '../graph/database-failure.ts'
import { DomainError, invalidRequest } from '../graph/errors.ts'
import { auditJob, enqueueJob } from '../jobs/jobs.ts'
import type { ActOnce, OnceInput } from './once.type.ts'
import { openResult, sealResult } from './sealed-result.ts'

/** The facts about a change in the audit trail, beside its actor, time and address. */
export interface ChangeNote {
  /** The action of the line, in place of that of the change. */
  readonly action?: string
  readonly owner?: AccountScope
  /** The id of the changed object. */
  readonly resourceId?: string
  /** Further details of the line; nothing secret, and little. */
  readonly details?: object
}

export interface Change<Result> {
  /** The owner of the change; null where it is known only once the change has happened. */
  readonly owner: AccountScope | null
  /** The id of the object to change, if it is known before. */
  readonly resourceId?: string
  /** `noun.verb`, for example `subscription.cancel`. */
  readonly action: string
  /**
   * The reference by which a retry finds the first attempt and gets its result again. The result is stored as
   * it is, unless `isSecret`.
   */
  readonly once?: OnceInput | ActOnce | null
  /** The result holds a secret: it is stored sealed, and a retry with the same credential alone can open it. */
  readonly isSecret?: boolean
  /** The request: a different one with the same reference is refused. */
  readonly request?: object
  /**
   * The facts that are known once the change has happened. Null: nothing has happened, and there is
   * no line.
   */
  readonly note?: (result: Result) => ChangeNote | null
}

/**
 * Makes a change of one account's, where it is known, in one transaction with its line in the audit
 * trail, which leaves through the outbox (docs/promises.md S11: who, what, when, from where, with
 * what result). A refusal has a line too.
 */
export async function makeChange<Result>(
  context: GraphContext,
  change: Change<Result>,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const made = await recordRefusal(context, change, () =>
    withKeyOfAct(context, change, () =>
      databaseOf(context, change.owner).transaction(async (tx) => {
        const earlier = await findEarlier<Result>(tx, context, change)
        if (earlier) return earlier.result
        const result = await work(tx)
        await keepResult(tx, context, change, result)
        const note = change.note ? change.note(result) : {}
        if (note) await recordChange(tx, context, change, note)
        return result
      }),
    ),
  )
  // Facades keep answers about an account. What a job changes, a trigger tells, if it matters to them.
  const { caller, invalidate } = context
  if (change.owner && caller.kind !== 'service') {
    invalidate({ accountId: change.owner.accountId })
  }
  return made
}

/**
 * Claims the key of an act, which is one for all accounts and subgraphs; what is stored with the change knows only
 * those of its own. Throws INVALID_REQUEST where the key belongs to another act. A refused act gives its key back.
 */
async function withKeyOfAct<Result>(
  { acts, caller }: GraphContext,
  {
    owner,
    action,
    once,
    request = {},
  }: Pick<Change<never>, 'owner' | 'action' | 'once' | 'request'>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!acts || !once || !('isAct' in once)) return work()
  const { reference, seconds } = once
  const act = { reference, seconds, actHash: sha256(toJson([action, owner, request])) }
  if (!(await acts.claim(act))) throw usedBefore(caller)
  try {
    return await work()
  } catch (error) {
    // After any other failure the act may have happened. A key that is not given back only refuses another act.
    if (error instanceof DomainError) await acts.release(act).catch(() => {})
    throw error
  }
}

type ChangeName = Pick<Change<never>, 'owner' | 'action' | 'resourceId'>

/** Work that leaves a line in the audit trail when it fails; what succeeds has left its own. */
export async function recordRefusal<Result>(
  context: GraphContext,
  change: ChangeName,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    // While the database is unavailable nothing has happened, and nothing can be written down.
    if (databaseFailure(error)?.extensions.code === 'SERVICE_UNAVAILABLE') throw error
    const result = error instanceof DomainError ? error.extensions.code : 'INTERNAL_ERROR'
    const database = databaseOf(context, change.owner)
    await database.transaction((tx) => recordChange(tx, context, change, {}, result))
    throw error
  }
}

/** A privileged caller is narrowed to the rows of the account that it acts for. */
function databaseOf({ caller, database }: GraphContext, owner: AccountScope | null): Database {
  return caller.kind === 'account' || !owner ? database : database.as(owner.accountId)
}

/** Writes a line of the audit trail, in the transaction of the change. */
export function recordChange(
  tx: Transaction,
  context: Pick<GraphContext, 'caller'>,
  change: ChangeName,
  note: ChangeNote = {},
  result = 'succeeded',
): Promise<void> {
  return recordLine(tx, lineOf(context, change, note, result))
}

/** A line that another subgraph has made, of a change that is made here for it. */
export async function recordLine(tx: Transaction, line: AuditLine): Promise<void> {
  await enqueueJob(tx, auditJob, { events: [line] })
}

/** The line about a change, for the subgraph that makes it. */
export function lineOf(
  { caller }: Pick<GraphContext, 'caller'>,
  { owner, action, resourceId }: ChangeName,
  note: ChangeNote = {},
  result = 'succeeded',
): AuditLine {
  const { accountId = null, environment = caller.environment } = note.owner ?? owner ?? {}
  const nowMs = Date.now()
  return safeToKeep({
    id: newId('aud', nowMs),
    // A requested id may be any text.
    accountId: accountId && cut(accountId),
    environment,
    occurredAt: new Date(nowMs).toISOString(),
    ...actorOf(caller),
    action: note.action ?? action,
    resourceId: cut(note.resourceId ?? resourceId ?? '') || null,
    address: caller.address,
    requestId: caller.requestId || null,
    traceId: caller.traceId || null,
    result,
    details: { ...note.details, ...memberOf(caller) },
  })
}

/** The provider's backend may name the person of a portal link like a member: the id tells them apart. */
function memberOf(caller: Caller): { readonly member_id?: string } {
  const memberId = caller.kind === 'account' ? caller.session?.memberId : null
  return memberId ? { member_id: memberId } : {}
}

function actorOf(caller: Caller) {
  switch (caller.kind) {
    case 'account':
      return { ...actorOfAccount(caller), actorRole: null }
    case 'client':
      return { actorKind: 'oauth_client', actorId: caller.clientId, actorRole: null }
    case 'internal':
      return { actorKind: 'internal', actorId: actorOfTool(caller), actorRole: caller.role }
    case 'service':
      return { actorKind: 'system', actorId: 'gateway', actorRole: null }
    case 'anonymous':
      return { actorKind: 'anonymous', actorId: 'anonymous', actorRole: null }
  }
}

/** The claim of an idempotency key, in the subgraph that makes the change. */
function statementsOf(schema: string) {
  const table = `${schema}.done_change`
  return {
    claim: {
      name: `claim-change-of-${schema}`,
      text: `INSERT INTO ${table} AS d
         (account_id, environment, reference, action, request, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
       ON CONFLICT (account_id, environment, reference) DO UPDATE SET action = excluded.action,
         request = excluded.request, result = NULL, expires_at = excluded.expires_at
       WHERE d.expires_at <= now() RETURNING 1`,
    },
    find: {
      name: `find-change-of-${schema}`,
      text: `SELECT action, request = $4::jsonb AS "isSame", result, result ->> 'sealed' AS sealed
       FROM ${table} WHERE account_id = $1 AND environment = $2 AND reference = $3`,
    },
    keep: {
      name: `keep-result-of-${schema}`,
      text: `UPDATE ${table} SET result = $4
       WHERE account_id = $1 AND environment = $2 AND reference = $3`,
    },
  } satisfies Record<string, Statement>
}

interface EarlierRow<Result> {
  readonly action: string
  readonly isSame: boolean
  readonly result: Result
  readonly sealed: string | null
}

/** Claims the reference; the attempt that has it is waited for, and its result comes back. */
async function findEarlier<Result>(
  tx: Transaction,
  { database, caller, gatewaySecret }: GraphContext,
  { owner, action, once, isSecret = false, request = {} }: Change<Result>,
): Promise<{ readonly result: Result } | null> {
  if (!once) return null
  const key = keyOf(caller, owner, once)
  const { claim, find } = statementsOf(database.schema)
  const claimed = await tx.query(claim, [...key, action, toJson(request), once.seconds])
  if (claimed.length > 0) return null
  const [row] = await tx.query<EarlierRow<Result>>(find, [...key, toJson(request)])
  if (row?.action === action && row.isSame) {
    return {
      result: isSecret
        ? openResult({ caller, gatewaySecret }, row.sealed, key.join('/'))
        : row.result,
    }
  }
  throw usedBefore(caller)
}

function usedBefore(caller: Caller): DomainError {
  // Internal tools send the key in the input, other callers in a header.
  const said: Pick<FieldError, 'field' | 'in'> =
    caller.kind === 'internal'
      ? { field: 'idempotencyKey', in: 'body' }
      : { field: 'Idempotency-Key', in: 'header' }
  return invalidRequest([{ ...said, message: 'was used before for another request' }])
}

async function keepResult<Result>(
  tx: Transaction,
  { database, caller, gatewaySecret }: GraphContext,
  { owner, once, isSecret = false }: Change<Result>,
  result: Result,
): Promise<void> {
  if (!once) return
  const key = keyOf(caller, owner, once)
  const kept = isSecret
    ? { sealed: sealResult({ caller, gatewaySecret }, toJson(result), key.join('/')) }
    : result
  await tx.query(statementsOf(database.schema).keep, [...key, toJson(kept)])
}

/** An act of an operator that belongs to no account has no account in its key. */
function keyOf(caller: Caller, owner: AccountScope | null, { reference }: OnceInput): string[] {
  const { accountId, environment } = owner ?? { accountId: '', environment: caller.environment }
  return [accountId, environment, reference]
}

/** A requested id may be anything, also an API key in a wrong place. */
function safeToKeep(value: object): AuditLine {
  return JSON.parse(withoutKeys(toJson(value)))
}

/** PostgreSQL's JSON has neither lone surrogates nor NUL. */
function toJson(value: unknown): string {
  return JSON.stringify(value ?? null, (_, member) =>
    typeof member === 'string' ? member.toWellFormed().replaceAll('\0', '') : member,
  )
}

/** SQL: see `forgetRows`. */
export function forgetDoneChanges(schema: string): string {
  return forgetRows(`${schema}.done_change`)
}
