import { Field, InputType } from 'type-graphql'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { type Check, isText, requireAll } from '../graph/checks.ts'
import { type ActOnce, attemptOf } from './once.type.ts'

/** The options of the arguments that an act has beside its own. */
export const reasonArg = {
  nullable: true,
  description:
    "The reason, for the audit trail, 1 to 200 characters. A person at the operators' page or the command line must give it.",
}
export const idempotencyKeyArg = {
  nullable: true,
  description:
    'The idempotency key, 1 to 255 characters: the same key acts once, whatever the account, and is answered with the first result. A person must give it.',
}

/** The members that an act of an operator has beside its own. */
@InputType()
export abstract class ActInput {
  @Field(() => String, reasonArg)
  reason?: string | null

  @Field(() => String, idempotencyKeyArg)
  idempotencyKey?: string | null
}

interface Act {
  /** The reference by which a repetition is found; null: a program has named no key. */
  readonly once: ActOnce | null
  /** What the line in the audit trail has of it. */
  readonly why: { readonly reason?: string }
}

/**
 * What an internal tool says about an act. Throws INVALID_REQUEST that names what is missing for a person; a program
 * may leave out both.
 */
export function actOf(
  caller: Caller,
  { reason, idempotencyKey }: Partial<ActInput>,
  maxReason = 200,
): Act {
  if (caller.kind !== 'internal') return { once: null, why: {} }
  const check = (name: string, text: string | null | undefined, most: number): Check => {
    const isGiven = text !== null && text !== undefined
    return [
      name,
      isGiven ? isText(text, most) : !isPersonal(caller),
      `must have 1 to ${most} characters`,
    ]
  }
  requireAll([check('reason', reason, maxReason), check('idempotencyKey', idempotencyKey, 255)])
  return {
    once: idempotencyKey ? onceOfAct(caller, idempotencyKey) : null,
    why: reason ? { reason } : {},
  }
}

/** Whether a person acts, and no program. */
export function isPersonal(caller: Caller): boolean {
  return caller.kind === 'internal' && (caller.operator ?? null) !== null
}

/** The reference of an act that programs need a key for, too. Throws INVALID_REQUEST without one. */
export function onceOfAct(
  caller: Caller,
  idempotencyKey: string | null | undefined,
): ActOnce | null {
  const attempt = attemptOf(caller, { once: null, idempotencyKey })
  if (!attempt) return null
  const { reference, seconds } = attempt
  return { reference, seconds, isAct: true }
}
