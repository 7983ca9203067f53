import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import go from 'highlight.js/lib/languages/go'
import http from 'highlight.js/lib/languages/http'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import { Marked, type RendererObject, type Tokens } from 'marked'
import { html, type Markup } from '../../rest-facade/pages/html/html.ts'
import { codeSpan, heading, type Section, tableElement } from '../markup/elements.ts'
import { idOf, plain } from '../markup/plain-text.ts'
import { sampleLanguages } from '../samples/in-languages.ts'
import { isValueName, valueNames } from '../values/value.ts'

/** The languages of fences in guides. The label stands above the code. */
const languages = {
  sh: { label: 'Shell', grammar: bash },
  json: { label: 'JSON', grammar: json },
  http: { label: 'HTTP', grammar: http },
  ts: { label: 'TypeScript', grammar: typescript },
  python: { label: 'Python', grammar: python },
  go: { label: 'Go', grammar: go },
}

for (const [name, { grammar }] of Object.entries(languages)) hljs.registerLanguage(name, grammar)

/** A heading that can be linked to. */
export interface Heading extends Section {
  readonly depth: number
}

/**
 * Turns our own Markdown into HTML. It is not sanitised: it never contains input of a caller. A
 * `{{value}}` of an installation stays one; in a code span it becomes `{{code value}}`. A value that
 * is a paragraph of its own gets no `<p>`: it is a table.
 */
export function renderMarkdown(markdown: string): { body: string; headings: readonly Heading[] } {
  const headings: Heading[] = []
  const marked = new Marked({ renderer: rendererOf(headings) })
  const body = marked.parse(markdown.replaceAll(/\{\{(\w+)\}\}/g, tokenOf), { async: false })
  return { body: withValues(body, ''), headings }
}

/**
 * Stands for a value while its page is rendered: a word without a meaning in Markdown, in an address
 * or in a programming language. A number is one here too, so that it is highlighted.
 */
function tokenOf(_: string, name: string): string {
  if (!isValueName(name))
    throw new Error(`The documentation has no value with the name {{${name}}}.`)
  const position = String(valueNames.indexOf(name)).padStart(2, '0')
  return name === 'example_credits' ? `990071${position}990071` : `valueq${position}q`
}

const token = /valueq(\d\d)q|990071(\d\d)990071/g

function withValues(text: string, form: '' | 'code '): string {
  return text.replaceAll(token, (_, word = '', number = '') => {
    return `{{${form}${valueNames[Number(word + number)]}}}`
  })
}

function rendererOf(headings: Heading[]): RendererObject {
  return {
    heading({ tokens, depth, text }) {
      if (depth > 1) headings.push({ id: idOf(text), text: plain(text), depth })
      return heading(depth, text, { markup: this.parser.parseInline(tokens) })
    },
    paragraph({ tokens, text }) {
      const inner = this.parser.parseInline(tokens)
      return text.replace(token, '') === '' ? inner : `<p>${inner}</p>\n`
    },
    codespan: ({ text }) => withValues(codeSpan(text).markup, 'code '),
    code: (token) => codeBlock(token).markup,
    table({ header, rows }) {
      const rendered = ({ tokens, text }: Tokens.TableCell) => ({
        markdown: text,
        markup: this.parser.parseInline(tokens),
      })
      return tableElement(
        header.map(rendered),
        rows.map((cells) => cells.map(rendered)),
      )
    },
  }
}

function codeBlock({ text, lang = '' }: Tokens.Code): Markup {
  const language = isLanguage(lang) ? languages[lang] : null
  const { value } = language ? hljs.highlight(text, { language: lang }) : { value: null }
  const code = value === null ? html`${text}` : { markup: value }
  const isCurl = lang === 'sh' && /^(curl |valueq)/.test(text)
  const label = isCurl ? sampleLanguages.sh.label : (language?.label ?? 'Text')
  return html`<figure class="code" data-language="${label}">
<figcaption>${label}</figcaption>
<pre tabindex="0"><code>${code}</code></pre>
</figure>
`
}

function isLanguage(name: string): name is keyof typeof languages {
  return Object.hasOwn(languages, name)
}
