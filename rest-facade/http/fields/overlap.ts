import { integerValue } from '../input.ts'

const maxOverlapSeconds = 7 * 24 * 3600

/** `overlap_seconds` of a rotation: the time for which the former secret counts too. */
export const overlapSeconds = integerValue(0, maxOverlapSeconds).default(24 * 3600)
