import { z } from 'zod'
import { shown } from '../input.ts'

const maxOverlapSeconds = 7 * 24 * 3600
const message = `must be an integer from 0 to ${maxOverlapSeconds}`

/** `overlap_seconds` of a rotation: the time for which the former secret counts too. */
export const overlapSeconds = z
  .number(message)
  .refine(
    (seconds) => Number.isInteger(seconds) && seconds >= 0 && seconds <= maxOverlapSeconds,
    message,
  )
  .register(shown, { schema: { type: 'integer', minimum: 0, maximum: maxOverlapSeconds } })
  .default(24 * 3600)
