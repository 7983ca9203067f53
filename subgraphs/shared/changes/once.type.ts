import { createHash } from 'node:crypto'
import { Field, InputType, Int } from 'type-graphql'
import type { Caller } from '../../../schema/credentials/caller.ts'
import { isText, requireAll } from '../graph/checks.ts'

@InputType({ description: 'One attempt of a request whose effect must happen once.' })
export class OnceInput {
  @Field(() => String, {
    description: 'The hash of the idempotency key, which all attempts have in common.',
  })
  reference!: string

  @Field(() => Int, {
    description:
      'An answer is replayed for at least so many seconds; within that time no further attempt arrives here.',
  })
  seconds!: number
}

/** The attempt of an act, whose key is one for all accounts and subgraphs. */
export interface ActOnce extends OnceInput {
  readonly isAct: true
}

/** The options of an argument that takes such a reference. */
export const onceArg = {
  nullable: true,
  description:
    'Every attempt of the same request has this reference; only the first changes anything.',
}

/** How long an internal tool's key leads to the first attempt. */
const internalKeySeconds = 30 * 24 * 60 * 60

interface Attempt {
  /** The reference that the facade derives from the header. */
  readonly once: OnceInput | null
  /** The key that an internal tool sends. */
  readonly idempotencyKey?: string | null | undefined
}

/**
 * The reference by which a repetition is found. Throws INVALID_REQUEST for an internal tool that
 * names no key.
 */
export function attemptOf(caller: Caller, { once, idempotencyKey }: Attempt): OnceInput | null {
  if (caller.kind !== 'internal') return once
  const key = idempotencyKey ?? ''
  requireAll([['idempotencyKey', isText(key, 255), 'must have 1 to 255 characters']])
  // By its prefix, the reference differs from that of every key that an account's own software chooses.
  const reference = `internal:${createHash('sha256').update(key).digest('hex')}`
  return { reference, seconds: internalKeySeconds }
}
