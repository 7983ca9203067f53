import { addressOf, headersOf, piecesOf, type SampleCall } from './sample-call.ts'

/** The call as a Python program with the standard library. */
export function python(call: SampleCall): string {
  const { method, body, answer } = call
  const headers = Object.entries(headersOf(call)).map(
    ([name, value]) => `        "${name}": ${text(value)},`,
  )
  const usual = body === null ? 'GET' : 'POST'
  const options = [
    `    ${text(addressOf(call))},`,
    ...(method === usual ? [] : [`    method="${method}",`]),
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    ...(body === null ? [] : [`    data=${bodyText(body)},`]),
  ]
  const isForm = body !== null && 'form' in body
  const modules = ['json', 'os', ...(isForm ? ['urllib.parse'] : []), 'urllib.request']
  const needsJson = (answer ?? 'json') === 'json' || (body !== null && 'json' in body)
  return `import ${modules.filter((name) => name !== 'json' || needsJson).join(', ')}

request = urllib.request.Request(
${options.join('\n')}
)
with urllib.request.urlopen(request) as response:
    ${shown[answer ?? 'json']}`
}

const shown = {
  json: 'print(json.load(response))',
  text: 'print(response.read().decode())',
  file: 'print(len(response.read()))',
}

function bodyText(body: NonNullable<SampleCall['body']>): string {
  if ('json' in body) return `json.dumps(${literal(body.json, 4)}).encode()`
  return `urllib.parse.urlencode(${literal(body.form, 4)}).encode()`
}

function text(value: string): string {
  return piecesOf(value)
    .map((piece, position) =>
      position % 2 === 0 ? JSON.stringify(piece) : `os.environ["${piece}"]`,
    )
    .filter((piece) => piece !== '""')
    .join(' + ')
}

/** A value of JSON as Python, in one line if it fits. */
function literal(value: unknown, indent: number): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const inner = Object.entries(value).map(
    ([name, member]) => [isList ? '' : `${JSON.stringify(name)}: `, member] as const,
  )
  const flat = inner.map(([name, member]) => name + literal(member, 0)).join(', ')
  if (!flat.includes('\n') && flat.length < 72 - indent) return open + flat + close
  const margin = ' '.repeat(indent + 4)
  const lines = inner.map(([name, member]) => `${margin}${name}${literal(member, indent + 4)},`)
  return [open, ...lines, ' '.repeat(indent) + close].join('\n')
}
