import type { Cost } from './cost.ts'

/** The largest refusal (docs/contract.md §2). */
const maxRefusalBytes = 64 * 1024
/** The largest answer, but for those of `largeAnswers`. */
const maxAnswerBytes = 1024 * 1024
/** Beside what is compared: the least that can be told from other work of the thread. */
const slackMs = 10
const timesParsing = 5
const timesLargestValid = 2

/** Operations whose answers may be larger: docs/contract.md §5 names the same. */
export const largeAnswers: ReadonlySet<string> = new Set([
  ...['getOpenapi', 'listApiKeys', 'listApps', 'listConsents', 'listWebhookDeliveries'],
  ...['listAuditEvents', 'summarizeUsage', 'quoteCalls'],
])

/** What is too large. */
export function judgeBytes(operation: string, { status, bytesOut }: Cost): string[] {
  const limit = isRefusal(status)
    ? maxRefusalBytes
    : largeAnswers.has(operation) || operation.startsWith('graphql ')
      ? Number.POSITIVE_INFINITY
      : maxAnswerBytes
  const problems = bytesOut > limit ? [`it is ${bytesOut} bytes, ${limit} are allowed`] : []
  return status >= 500 ? [...problems, `it fails with ${status}`] : problems
}

/** How many milliseconds it may take. */
export function limitMs({ status }: Cost, bodyParseMs: number, largestValidMs: number): number {
  return isRefusal(status)
    ? timesParsing * bodyParseMs + slackMs
    : Math.max(timesLargestValid * largestValidMs, timesParsing * bodyParseMs) + slackMs
}

export function isRefusal(status: number): boolean {
  return status >= 400
}
