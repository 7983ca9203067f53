import { z } from 'zod'
import { isMailAddress, maxAddressLength } from '../../../schema/vocabulary/mail-address.ts'

export const emailAddress = z
  .string('must be an email address')
  .max(maxAddressLength, {
    error: `must have at most ${maxAddressLength} characters`,
    // One problem is enough.
    abort: true,
  })
  .refine(isMailAddress, 'must be an email address')
