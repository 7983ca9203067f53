import { z } from 'zod'

/** RFC 5321 §4.5.3.1.3: a path has 256 characters, two of them around the address. */
export const maxAddressLength = 254

export const emailAddress = z
  .string('must be an email address')
  .max(maxAddressLength, {
    error: `must have at most ${maxAddressLength} characters`,
    // One problem is enough.
    abort: true,
  })
  .refine((text) => z.email().safeParse(text).success, 'must be an email address')
