import type { RequestHandler } from 'express'
import { invalidRequest } from '../../rest-facade/http/errors.ts'
import { usual } from '../../rest-facade/http/fields/record.ts'
import { hasAtMost } from '../../schema/vocabulary/characters.ts'
import type { FieldError } from '../../schema/vocabulary/error-codes.ts'
import { enoughProblems, nameOf } from '../../schema/vocabulary/field-problems.ts'

/** The longest text in a request, the document included: errors of GraphQL repeat texts. */
const maxTextLength = 64 * 1024

/** The most that a field of the graph takes. To check the types of objects takes several times as long as to parse them. */
const maxObjects = 1000

/**
 * Refuses a GraphQL request with long texts, long names, large records or lists of many objects, before anything checks it. The
 * errors of GraphQL tell each value and each name whole.
 */
export const requireUsualSize: RequestHandler = function requireUsualSize({ body }, _res, next) {
  const problems: FieldError[] = []
  findLarge(body, [], problems)
  next(problems.length > 0 ? invalidRequest(problems) : undefined)
}

function findLarge(value: unknown, path: readonly PropertyKey[], found: FieldError[]): void {
  const report = (at: readonly PropertyKey[], message: string) =>
    found.push({ field: nameOf(at) || 'body', in: 'body', message })
  if (found.length >= enoughProblems) return
  if (typeof value === 'string') {
    if (!hasAtMost(value, maxTextLength))
      report(path, `must have at most ${maxTextLength} characters`)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    if (value.filter(isObject).length > maxObjects) {
      report(path, `must have at most ${maxObjects} objects`)
      return
    }
    for (const [index, entry] of value.entries()) findLarge(entry, [...path, index], found)
    return
  }
  const members = Object.entries(value)
  if (members.length > usual.maxMembers) {
    report(path, `must have at most ${usual.maxMembers} members`)
    return
  }
  for (const [name, member] of members) {
    const place = [...path, name]
    if (!hasAtMost(name, usual.maxNameLength)) {
      report(place, `has a name of more than ${usual.maxNameLength} characters`)
    } else {
      findLarge(member, place, found)
    }
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
