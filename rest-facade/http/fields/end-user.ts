import type { Request } from 'express'

/** The header with the caller's own user for whom the call is made. */
export const endUserHeader = 'X-End-User'

export const endUserPattern = /^[!-~]{1,128}$/
export const endUserRule = 'must be 1 to 128 characters from ! to ~, without spaces'

/** The value of the header; null without one, or if the value is not allowed. */
export function endUserOf(req: Request): string | null {
  const said = req.headers['x-end-user']
  return typeof said === 'string' && endUserPattern.test(said) ? said : null
}

/** Whether the value of the header is not allowed. */
export function hasWrongEndUser(req: Request): boolean {
  return req.headers['x-end-user'] !== undefined && endUserOf(req) === null
}
