import { OAuthError } from '../../rest-facade/http/errors.ts'
import { defaultAddresses } from '../../schema/vocabulary/default-addresses.ts'
import {
  type ErrorCode,
  type OAuthErrorCode,
  statusByErrorCode,
} from '../../schema/vocabulary/error-codes.ts'
import { adviceOf } from '../../schema/vocabulary/error-texts/error-advice.ts'
import { errorExample, oauthExample } from '../../schema/vocabulary/error-texts/error-examples.ts'
import { table } from '../markup/plain-text.ts'
import { type Explanation, explanations, oauthExplanations } from './error-explanations.ts'

/** The page of one error, before values are filled in. */
export interface ErrorPage {
  readonly code: string
  readonly status: number
  readonly summary: string
  readonly isRetryable: boolean
  readonly isOAuth: boolean
  readonly markdown: string
}

/** One page for each code of the envelope, then one for each code of the OAuth protocol. */
export function errorPages(): readonly ErrorPage[] {
  return [
    ...entries(explanations).map(([code, explanation]) => ofEnvelope(code, explanation)),
    ...entries(oauthExplanations).map(([code, explanation]) => ofOAuth(code, explanation)),
  ]
}

function entries<Code extends string>(all: Readonly<Record<Code, Explanation>>) {
  const found: [Code, Explanation][] = []
  for (const code in all) found.push([code, all[code]])
  return found
}

function ofEnvelope(code: ErrorCode, explanation: Explanation): ErrorPage {
  const status = statusByErrorCode[code]
  const body = atHome(errorExample(code, status))
  const { next } = adviceOf[code]
  return errorPage({ code, status, explanation, next, body, isOAuth: false })
}

function ofOAuth(code: OAuthErrorCode, explanation: Explanation): ErrorPage {
  const { status } = new OAuthError(code, '')
  const body = atHome(oauthExample(code))
  return errorPage({ code, status, explanation, next: null, body, isOAuth: true })
}

/** An example of the OpenAPI document, with the address of the installation's documentation. */
function atHome(example: unknown): string {
  return JSON.stringify(example, null, 2).replaceAll(defaultAddresses.docsUrl, '{{docs_url}}')
}

interface ErrorPageOptions {
  readonly code: string
  readonly status: number
  readonly explanation: Explanation
  /** What to do in one sentence, as the console says it. */
  readonly next: string | null
  /** JSON. */
  readonly body: string
  readonly isOAuth: boolean
}

function errorPage(options: ErrorPageOptions): ErrorPage {
  const { code, status, explanation, next, body, isOAuth } = options
  const { meaning, causes, remedies, isRetryable, retry } = explanation
  const facts = table(
    ['Status', 'Found in', 'Worth a retry'],
    [[String(status), isOAuth ? 'token, revoke and introspect' : 'any answer', yesNo(isRetryable)]],
  )
  const markdown = `# \`${code}\`

${meaning}

${facts}

## Why it happens

${list(causes)}

## What to do

${next === null ? '' : `**${next}**\n\n`}${list(remedies)}

## Trying again

${retry}

## Example

\`\`\`json
${body}
\`\`\`
`
  return { code, status, summary: meaning, isRetryable, isOAuth, markdown }
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n')
}

function yesNo(is: boolean): string {
  return is ? 'yes' : 'no'
}

/** Every error in a table for each kind of body. */
export function errorTables(pages: readonly ErrorPage[]) {
  const rowsOf = (isOAuth: boolean) =>
    pages
      .filter((page) => page.isOAuth === isOAuth)
      .map(({ code, status, isRetryable, summary }) => [
        String(status),
        `[\`${code}\`](/docs/errors/${code})`,
        summary,
        yesNo(isRetryable),
      ])
  const header = ['Status', 'Code', 'Meaning', 'Retry']
  return { envelope: table(header, rowsOf(false)), oauth: table(header, rowsOf(true)) }
}
