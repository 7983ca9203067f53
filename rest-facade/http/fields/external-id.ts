import { z } from 'zod'
import { externalIdPattern, isExternalId } from '../../../schema/vocabulary/external-id.ts'
import { shown } from '../input.ts'

export const externalId = z
  .string('must be text')
  .refine(isExternalId, 'must have 1 to 128 visible ASCII characters')
  .register(shown, {
    schema: { type: 'string', pattern: externalIdPattern },
    description:
      'The team, customer or agent that has the key: keys with the same one share budgets.',
  })
