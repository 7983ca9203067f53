import { addressOf, headersOf, piecesOf, type SampleCall } from './sample-call.ts'

/** The call as a TypeScript program with `fetch`. */
export function typescript(call: SampleCall): string {
  const { method, body, answer } = call
  const headers = Object.entries(headersOf(call)).map(
    ([name, value]) => `    ${key(name)}: ${text(value)},`,
  )
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === null ? [] : [`  body: ${bodyText(body)},`]),
  ]
  const address = text(addressOf(call))
  const lines = options.length === 0 ? [address] : [`${address}, {`, ...options, '}']
  return `const response = await fetch(${lines.join('\n')})
if (!response.ok) throw new Error(await response.text())

${shown[answer ?? 'json']}`
}

const shown = {
  json: 'console.log(await response.json())',
  text: 'console.log(await response.text())',
  file: 'console.log((await response.arrayBuffer()).byteLength)',
}

function bodyText(body: NonNullable<SampleCall['body']>): string {
  if ('json' in body) return `JSON.stringify(${literal(body.json, 2)})`
  return `new URLSearchParams(${literal(body.form, 2)})`
}

function text(value: string): string {
  return piecesOf(value).length === 1 ? string(value) : `\`${inTemplate(value)}\``
}

function inTemplate(value: string): string {
  return piecesOf(value)
    .map((piece, position) => (position % 2 === 0 ? piece : `\${process.env.${piece}}`))
    .join('')
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
}

function string(value: string): string {
  return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** A value of JSON as TypeScript, in one line if it fits. */
function literal(value: unknown, indent: number): string {
  if (typeof value === 'string') return string(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const space = isList ? '' : ' '
  const inner = Object.entries(value).map(
    ([name, member]) => [isList ? '' : `${key(name)}: `, member] as const,
  )
  const flat = inner.map(([name, member]) => name + literal(member, 0)).join(', ')
  if (flat === '') return open + close
  if (!flat.includes('\n') && flat.length < 72 - indent) return open + space + flat + space + close
  const margin = ' '.repeat(indent + 2)
  const lines = inner.map(([name, member]) => `${margin}${name}${literal(member, indent + 2)},`)
  return [open, ...lines, ' '.repeat(indent) + close].join('\n')
}
