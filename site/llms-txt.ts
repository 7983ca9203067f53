import { idOf } from './markup/plain-text.ts'
import { markdownName } from './page.ts'
import { type Reader, readerTabs, type StoredPage } from './stored-pages.ts'
import type { Endpoint } from './values/endpoints.ts'

interface LlmsTxtOptions {
  readonly docsUrl: string
  /** The address of the gateway, without `/v1`. */
  readonly baseUrl: string
  readonly endpoints: readonly Endpoint[]
}

/** The list of these pages for language models (llmstxt.org): every link is to Markdown or JSON. */
export function llmsTxt(
  pages: readonly StoredPage[],
  { docsUrl, baseUrl, endpoints }: LlmsTxtOptions,
): string {
  const [landing, ...others] = pages.filter(({ name }) => name !== 'contents')
  const line = (page: StoredPage) =>
    `- [${page.label}](${docsUrl}/${markdownName(page)}): ${page.description}`
  const list = (sections: readonly StoredPage['section'][], reader: Reader = 'api') =>
    others
      .filter((page) => sections.includes(page.section) && page.reader === reader)
      .map(line)
      .join('\n')
  const groups = [...Map.groupBy(endpoints, ({ group }) => group)].map(([group, members]) => {
    const summaries = members.map(({ summary }) => summary).join('; ')
    return `- [${group}](${docsUrl}/endpoints.md#${idOf(group)}): ${summaries}.`
  })
  return `# Credit Gateway API

> ${landing?.description ?? ''}

Base address ${baseUrl}/v1, authentication by API key as bearer token, JSON in and out. Errors have the form \`{ "error": { "code", "message", "status", "documentation_url", "request_id" } }\`.

## Guides

${list(['Start', 'Guides'])}

## Reference

- [OpenAPI 3.1](${baseUrl}/v1/openapi.json): Every operation with parameters, bodies, examples, scopes and prices.
- [Postman collection](${baseUrl}/docs/postman.json): The same operations as requests to send.
${list(['Reference'])}

## Operations

${groups.join('\n')}

## ${readerTabs.gateway}

${list(['Start', 'Guides', 'Reference'], 'gateway')}

## ${readerTabs.module}

${list(['Start', 'Guides', 'Reference'], 'module')}

## Optional

${list([null])}
`
}
