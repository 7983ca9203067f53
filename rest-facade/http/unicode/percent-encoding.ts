import { isUtf8 } from 'node:buffer'
import { unescape as decode } from 'node:querystring'
import type { FieldError } from '../../../schema/vocabulary/error-codes.ts'

/** Names the parameters of a query, or the fields of a form, whose bytes are not UTF-8. */
export function percentProblems(text: string, where: 'query' | 'body'): readonly FieldError[] {
  // Bytes that are sent without percent-encoding are ASCII, so only encoded ones can be wrong.
  if (!/%[89a-f]/i.test(text)) return []
  const wrong = text.split('&').filter(hasOtherBytes)
  const names = new Set(wrong.map((pair) => nameOf(pair) || where))
  return [...names].map((field) => ({ field, in: where, message: 'is not percent-encoded UTF-8' }))
}

/** No character is partly encoded, so each run of encoded bytes is a text of its own. */
function hasOtherBytes(pair: string): boolean {
  const runs = pair.match(/(?:%[\da-f]{2})+/gi) ?? []
  return runs.some((run) => !isUtf8(Buffer.from(run.replaceAll('%', ''), 'hex')))
}

function nameOf(pair: string): string {
  const [name = ''] = pair.replaceAll('+', ' ').split('=')
  return decode(name)
}
