import { html, type Markup } from '../../rest-facade/pages/html/html.ts'

const string = /"(?:\\.|[^"\\])*"/.source
const single = /'(?:\\.|[^'\\])*'/.source
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/.source
const literal = 'true|false|null'

function words(list: string): string {
  return `\\b(?:${list.replaceAll(' ', '|')})\\b`
}

/**
 * What is coloured in the calls that are made of an installation's catalog; the build highlights all
 * other code. The groups are the classes of highlight.js.
 */
const languages = {
  json: new RegExp(
    `(?<attr>${string})(?=:)|(?<string>${string})|(?<number>${number})|(?<literal>${literal})|(?<punctuation>[{}[\\],:])`,
    'g',
  ),
  ts: new RegExp(
    `(?<string>${string}|${single}|\`[^\`]*\`)|(?<keyword>${words('const await if throw new')})|(?<number>${number})|(?<literal>${literal})`,
    'g',
  ),
  python: new RegExp(
    `(?<string>${string})|(?<keyword>${words('import with as')})|(?<number>${number})|(?<literal>True|False|None)`,
    'g',
  ),
  sh: new RegExp(`(?<string>${string}|'[^']*')`, 'g'),
} as const

/** Code as HTML, with the classes that `content/rendered-markdown.ts` gives to code of guides. */
export function highlighted(code: string, language: keyof typeof languages): Markup {
  let end = 0
  let markup = ''
  for (const { 0: found, index, groups = {} } of code.matchAll(languages[language])) {
    const [name = ''] = Object.keys(groups).filter((name) => groups[name] !== undefined)
    markup +=
      html`${code.slice(end, index)}<span class="hljs-${name}">${inner(found, language)}</span>`
        .markup
    end = index + found.length
  }
  return { markup: markup + html`${code.slice(end)}`.markup }
}

/** A shell fills in variables between double quotes. */
function inner(found: string, language: keyof typeof languages): Markup {
  const whole = html`${found}`
  if (language !== 'sh' || !found.startsWith('"')) return whole
  return { markup: whole.markup.replaceAll(/\$\w+/g, '<span class="hljs-variable">$&</span>') }
}
