import { cut } from '../../schema/vocabulary/field-problems.ts'
import type { Answer, CheckAnswer } from '../../test/support/conformity/answers-conform.ts'
import type { BrokenField } from './oracle.ts'
import type { FuzzRequest } from './requests.ts'

/** The mistakes of an answer to a valid or a merely strange request. */
export function judgeValid(
  check: CheckAnswer,
  { environment, headers }: FuzzRequest,
  answer: Answer,
) {
  const scenario = environment === 'sandbox' ? (headers['X-Sandbox-Scenario'] ?? '') : ''
  const mayFail = /^(status=5|reset|slow|timeout|unavailable)/.test(scenario)
  return [...check(answer), ...(mayFail ? [] : failure(answer))]
}

/**
 * Judges the answer to a request that the document does not allow: every broken field is to be named, and
 * nothing charged.
 */
export function judgeInvalid(check: CheckAnswer, broken: readonly BrokenField[], answer: Answer) {
  const { status, headers, body } = answer
  const problems = [...check(answer), ...failure(answer)]
  if (Number(headers['x-credits-charged'] ?? 0) !== 0) problems.push('it is charged')
  // An ill-formed id is no id of anything (docs/contract.md §2).
  if (status === 404 && broken.some((field) => field.in === 'path')) return problems
  if (status !== 422)
    return [...problems, `it is not refused with 422, although ${named(broken)} is broken`]
  const { details = [], message = '' } = Object(JSON.parse(body).error)
  const unnamed = broken.filter((one) => {
    const name = cut(one.field)
    const isDetail = (detail: BrokenField) => detail.field === name && detail.in === one.in
    return !message.includes(name) || !details.some(isDetail)
  })
  return unnamed.length > 0 ? [...problems, `it does not name ${named(unnamed)}`] : problems
}

function failure({ status }: Answer): string[] {
  return status >= 500 ? [`it fails with ${status}`] : []
}

function named(fields: readonly BrokenField[]): string {
  return fields.map((one) => `${one.in} ${JSON.stringify(one.field)}`).join(', ')
}
