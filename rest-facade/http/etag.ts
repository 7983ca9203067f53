import type { Request } from 'express'
import { headerOf } from './call.ts'

/**
 * Whether the client already has this version. RFC 9110 §13.1.2: weak comparison, a list or `*`.
 */
export function matchesEtag(req: Request, tag: string): boolean {
  const header = headerOf(req, 'if-none-match')
  if (header.trim() === '*') return true
  return header.split(',').some((known) => known.trim().replace(/^W\//, '') === tag)
}
