import { type Check, problem } from './check.ts'

/** Seconds since the last sign-in of the owner (OpenID Connect Core §3.1.2.1). */
export const checkMaxAge: Check = ({ maxAge }) =>
  maxAge === null || /^\d{1,9}$/.test(maxAge)
    ? []
    : problem('max_age', 'must be a whole number of seconds, from 0')
