import { hasDotSegment } from './ids.ts'

/** 1 to 128 visible ASCII characters, so that paths, headers and files can hold it as it is. */
export const externalIdPattern = '^[!-~]{1,128}$'

const pattern = new RegExp(externalIdPattern)

/** What is told to a caller who gives a text that is no external id. */
export const externalIdRule =
  'must have 1 to 128 visible ASCII characters, and no . or .. as a part between slashes'

/** The name that an account holder gives a team, a customer or an agent whose keys belong together. */
export function isExternalId(text: string): boolean {
  return pattern.test(text) && !hasDotSegment(text)
}
