import { describe, expect, test } from 'vitest'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { renderMarkdown } from '../../../site/content/rendered-markdown.ts'
import { highlighted } from '../../../site/markup/highlighted.ts'
import type { DocsOptions } from '../../../site/values/docs-options.ts'
import { exampleCall } from '../../../site/values/example-call.ts'
import { fillMarkdown, fillMarkup } from '../../../site/values/value.ts'
import { valuesOf } from '../../../site/values/values.ts'

const options: DocsOptions = {
  baseUrls: { live: 'https://api.example.com/a_b', sandbox: 'https://sandbox.example.com' },
  docsUrl: 'https://docs.example.com/docs?a=1&b=2',
  keyPrefix: 'svc',
  catalog: loadCatalog(),
  anonymousRps: 20,
  accountWorkMs: 400,
  backendTimeoutMs: 30_000,
  webhookTimeoutMs: 10_000,
  webhookRetrySeconds: [30, 300],
}

const page = '<p>{{docs_url}} and {{code base_url}}</p>'

describe('a value in a page', () => {
  test('is text, and a path in a code span can be broken', () => {
    expect(fillMarkup(page, valuesOf(options)).markup).toBe(
      '<p>https://docs.example.com/docs?a=1&amp;b=2 and https://api.example.com/<wbr>a_b</p>',
    )
    expect(fillMarkdown('`{{base_url}}`', valuesOf(options))).toBe('`https://api.example.com/a_b`')
  })

  test('is an error if nobody knows it, when it is rendered and when it is filled in', () => {
    const unknown = 'The documentation has no value with the name {{price}}.'
    expect(() => fillMarkup('{{price}}', valuesOf(options))).toThrow(unknown)
    expect(() => fillMarkdown('{{price}}', valuesOf(options))).toThrow(unknown)
    expect(() => renderMarkdown('Costs {{price}}.')).toThrow(unknown)
  })

  test('keeps its place, whatever the Markdown around it is', () => {
    const { body } = renderMarkdown(
      '**{{base_url}}** `{{base_url}}/v1` [x]({{base_url}}/y)\n\n{{prices}}\n\n```sh\ncurl {{base_url}}\n```',
    )

    expect(body.match(/\{\{.*?\}\}/g)).toEqual([
      ...['{{base_url}}', '{{code base_url}}', '{{base_url}}', '{{prices}}', '{{base_url}}'],
    ])
    expect(body).toContain('<a href="{{base_url}}/y">x</a></p>\n{{prices}}<figure')
  })
})

describe('a table of the catalog', () => {
  const name = '<b>Find</b> | [x](/evil) *all* `y`'
  const [service] = options.catalog.services
  if (!service) throw new Error('The catalog has no service.')
  const [first] = service.operations
  if (!first) throw new Error('The service has no operation.')
  const operations = [{ ...first, summary: name }]
  const catalog = { services: [{ ...service, name, operations }] }
  const { prices, endpoints } = valuesOf({ ...options, catalog })
  const shown = '&lt;b&gt;Find&lt;/b&gt; | [x](/evil) *all* `y`'

  test('shows the texts of an operator as they are', () => {
    for (const { markup } of [prices, endpoints]) {
      expect(markup.markup).toContain(`<td>${shown}</td>`)
      expect(markup.markup).not.toContain('<b>')
    }
    expect(endpoints.markup.markup).toContain(`>${shown}</a></h2>`)
  })

  test('shows the same as its Markdown', () => {
    expect(renderMarkdown(prices.markdown).body).toBe(prices.markup.markup)
    const [, ...tables] = endpoints.markup.markup.split('</h2>\n')
    const [, ...rendered] = renderMarkdown(endpoints.markdown).body.split('</h2>\n')
    expect(rendered.map((text) => text.replace(/<h2.*/s, ''))).toEqual(
      tables.map((text) => text.replace(/<h2.*/s, '')),
    )
  })
})

describe('the example of the catalog', () => {
  const each = options.catalog.services.flatMap((service) =>
    service.operations.map((operation) => ({
      id: operation.id,
      call: exampleCall({
        ...options,
        catalog: { services: [{ ...service, operations: [operation] }] },
      }),
    })),
  )

  /** Two spellings of one HTML, and a class that changes no colour. */
  function normal(markup: string): string {
    return markup
      .replaceAll('&#x27;', '&#39;')
      .replaceAll(
        /<span class="hljs-literal"><span class="hljs-keyword">(\w+)<\/span>/g,
        '<span class="hljs-literal">$1',
      )
  }

  test.each(each)('is coloured like the code of guides: $id', ({ call }) => {
    const commands = Object.values(call.samples).map(({ sh }) => ['sh', sh] as const)
    for (const [language, code] of [...commands, ['json', call.answer] as const]) {
      const { body } = renderMarkdown(`\`\`\`${language}\n${code}\n\`\`\``)
      expect(normal(body)).toContain(`<code>${normal(highlighted(code, language).markup)}</code>`)
    }
  })
})
