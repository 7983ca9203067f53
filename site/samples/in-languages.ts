import { curl } from './curl.ts'
import { python } from './python.ts'
import type { SampleCall } from './sample-call.ts'
import { typescript } from './typescript.ts'

/**
 * The languages of every call, in the order of their tabs. Each program stands alone: it needs nothing but the
 * language's own library, and reads the address and the key from `GATEWAY_URL` and `GATEWAY_API_KEY`.
 */
export const sampleLanguages = {
  sh: { label: 'curl', write: curl },
  ts: { label: 'TypeScript', write: typescript },
  python: { label: 'Python', write: python },
} as const

export type SampleLanguage = keyof typeof sampleLanguages

/** The call as a program of each language. */
export function inLanguages(call: SampleCall): Readonly<Record<SampleLanguage, string>> {
  return { sh: curl(call), ts: typescript(call), python: python(call) }
}
