import { z } from 'zod'
import { cut } from '../../../schema/vocabulary/field-problems.ts'

/** Of every record whose names a client chooses, unless a field has smaller ones (docs/contract.md §2). */
export const usual = { maxMembers: 100, maxNameLength: 128 }

/**
 * A record whose names a client chooses. Its size and the length of its names are checked before
 * any member is looked at: each problem of a member tells the name.
 */
export function boundedRecord<Members extends z.ZodType>(
  members: Members,
  { maxMembers, maxNameLength }: typeof usual = usual,
) {
  const tooMany = `must have at most ${maxMembers} members`
  const tooLong = `has a name of more than ${maxNameLength} characters`
  return z.preprocess(
    (value: unknown, context) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const names = Object.keys(value)
      if (names.length > maxMembers) {
        context.addIssue({ code: 'custom', message: tooMany })
        return value
      }
      for (const name of names) {
        if (name.length <= maxNameLength) continue
        context.addIssue({ code: 'custom', path: [cut(name)], message: tooLong })
      }
      return value
    },
    members.meta({ maxProperties: maxMembers }),
  )
}
