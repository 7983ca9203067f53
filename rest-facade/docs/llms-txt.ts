import type { DocsPage } from './docs-pages.ts'
import { markdownName } from './page.ts'

/** The list of these pages for language models (llmstxt.org): every link is to Markdown. */
export function llmsTxt(
  pages: readonly DocsPage[],
  { docsUrl, baseUrl }: { readonly docsUrl: string; readonly baseUrl: string },
): string {
  const [landing, ...others] = pages.filter(({ name }) => name !== 'contents')
  const line = (page: DocsPage) =>
    `- [${page.label}](${docsUrl}/${markdownName(page)}): ${page.description}`
  const list = (sections: readonly DocsPage['section'][]) =>
    others
      .filter(({ section }) => sections.includes(section))
      .map(line)
      .join('\n')
  return `# Credit Gateway API

> ${landing?.description ?? ''}

Base address ${baseUrl}/v1, authentication by API key as bearer token, JSON in and out. Errors have the form \`{ "error": { "code", "message", "status", "documentation_url", "request_id" } }\`.

## Guides

${list(['Start', 'Guides'])}

## Reference

- [OpenAPI 3.1](${baseUrl}/v1/openapi.json): Every operation with parameters, bodies, examples, scopes and prices.
${list(['Reference'])}

## Optional

${list([null])}
`
}
