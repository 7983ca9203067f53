import { z } from 'zod'
import { hasAtMost } from '../../../schema/vocabulary/characters.ts'
import { cut } from '../../../schema/vocabulary/field-problems.ts'
import { faultsOf } from '../input.ts'

/**
 * The limits of every record whose names a client chooses, unless a field has smaller ones (docs/contract.md
 * §2).
 */
export const usual = { maxMembers: 100, maxNameLength: 128 }

interface RecordOptions {
  /** The message for anything but an object. */
  readonly message: string
  /** The rules for a name, beside its length. */
  readonly name?: z.ZodType<string>
  readonly maxMembers: number
  readonly maxNameLength: number
}

/**
 * A record whose names a client chooses. Its size is checked before any member is looked at, and the
 * length of a name before its member, because each problem of a member tells the name. A record of
 * zod would leave out a member named `__proto__`, unchecked.
 */
export function boundedRecord<Value>(
  value: z.ZodType<Value>,
  { message, name = z.string(), maxMembers, maxNameLength }: RecordOptions,
) {
  return z.custom<object>(isRecord, message).transform((record, context) => {
    const members: (readonly [string, unknown])[] = Object.entries(record)
    if (members.length > maxMembers) {
      context.addIssue(`must have at most ${maxMembers} members`)
      return z.NEVER
    }
    const kept = members.flatMap(([key, member]) => {
      if (!hasAtMost(key, maxNameLength)) {
        const tooLong = `has a name of more than ${maxNameLength} characters`
        context.addIssue({ code: 'custom', path: [cut(key)], message: tooLong })
        return []
      }
      const named = name.safeParse(key)
      const parsed = value.safeParse(member)
      for (const issue of named.error?.issues ?? []) {
        context.addIssue({
          code: 'custom',
          path: [key],
          message: `has a name that ${issue.message}`,
        })
      }
      for (const issue of faultsOf(parsed.error?.issues ?? [])) {
        context.addIssue({ code: 'custom', path: [key, ...issue.path], message: issue.message })
      }
      return parsed.success ? [[key, parsed.data] as const] : []
    })
    // Members are not assigned, because `__proto__` is a member like any other here.
    return Object.fromEntries(kept)
  })
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
