import { z } from 'zod'
import {
  externalIdPattern,
  externalIdRule,
  isExternalId,
} from '../../../schema/vocabulary/external-id.ts'
import { shown } from '../input.ts'

export const externalId = z
  .string('must be text')
  .refine(isExternalId, externalIdRule)
  .register(shown, {
    schema: { type: 'string', pattern: externalIdPattern },
    description:
      'The team, customer or agent that has the key: keys with the same one share budgets. No part of it between slashes is `.` or `..`, also not as `%2e`: in a path, that would lead elsewhere.',
  })
