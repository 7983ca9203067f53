import { html, type Markup } from '../../rest-facade/pages/html/html.ts'
import { breakable, codeSpan, tableElement } from '../markup/elements.ts'
import { table, verbatim } from '../markup/plain-text.ts'

/** The values that an installation gives: its settings, its catalog. All others are in the rendered pages. */
export const valueNames = [
  ...['base_url', 'sandbox_url', 'docs_url', 'key_prefix'],
  ...['idempotency_header', 'backend_timeout', 'anonymous_rps'],
  ...['account_work', 'webhook_timeout', 'webhook_schedule', 'price_version'],
  ...['example_call_curl', 'example_call_ts', 'example_call_python'],
  ...['example_once_curl', 'example_once_ts', 'example_once_python'],
  ...['example_empty_curl', 'example_empty_ts', 'example_empty_python'],
  ...['example_quote_curl', 'example_quote_ts', 'example_quote_python'],
  ...['example_method', 'example_path', 'example_body', 'example_credits', 'example_answer'],
  ...['prices', 'scopes', 'endpoints', 'tools'],
] as const

export type ValueName = (typeof valueNames)[number]

export function isValueName(name: string): name is ValueName {
  return valueNames.some((known) => known === name)
}

/** A value in the two forms of a page; a cell of a table is one too. */
export interface Value {
  readonly markdown: string
  readonly markup: Markup
}

export type Values = Readonly<Record<ValueName, Value>>

/** Fills in `{{name}}`. Throws for an unknown name: an incomplete page must not be served. */
export function fillWith(
  template: string,
  values: Values,
  formOf: (value: Value, isInCode: boolean) => string,
): string {
  return template.replaceAll(/\{\{(code )?(\w+)\}\}/g, (_, code, name: string) => {
    if (!isValueName(name)) {
      throw new Error(`The documentation has no value with the name {{${name}}}.`)
    }
    return formOf(values[name], code !== undefined)
  })
}

export function fillMarkdown(template: string, values: Values): string {
  return fillWith(template, values, ({ markdown }) => markdown)
}

/** Fills in rendered Markdown, where a value in a code span is `{{code name}}`. */
export function fillMarkup(template: string, values: Values): Markup {
  const markup = fillWith(template, values, ({ markdown, markup }, isInCode) =>
    isInCode ? breakable(markdown) : markup.markup,
  )
  return { markup }
}

/** A setting. Pages show it as it is, so it has no Markdown. */
export function setting(text: string): Value {
  return { markdown: text, markup: html`${text}` }
}

/** Text of a cell, none of which is Markdown. */
export function text(text: string): Value {
  return { markdown: verbatim(text), markup: html`${text}` }
}

export function code(text: string): Value {
  return { markdown: `\`${text}\``, markup: codeSpan(text) }
}

/** Cells as one cell. `separator` is the same in Markdown and in HTML. */
export function joined(cells: readonly Value[], separator: '<br>' | ' ' | ' or '): Value {
  return {
    markdown: cells.map(({ markdown }) => markdown).join(separator),
    markup: { markup: cells.map(({ markup }) => markup.markup).join(separator) },
  }
}

/** A table, whose columns have plain names. */
export function tableValue(columns: readonly string[], rows: readonly (readonly Value[])[]): Value {
  const markdown = rows.map((cells) => cells.map((cell) => cell.markdown))
  const header = columns.map((name) => ({ markdown: name, markup: html`${name}`.markup }))
  const markup = rows.map((cells) => cells.map((cell) => cell.markup))
  return { markdown: table(columns, markdown), markup: { markup: tableElement(header, markup) } }
}
