import { addressOf, headersOf, type SampleCall } from './sample-call.ts'

/** The call as a command. */
export function curl(call: SampleCall): string {
  const { method, body, answer } = call
  const usual = body === null ? 'GET' : 'POST'
  const options = [
    ...(method === usual ? [] : [`-X ${method}`]),
    ...Object.entries(headersOf(call)).map(([name, value]) => `-H "${name}: ${value}"`),
    ...bodyOptions(body),
    ...(answer === 'file' ? ['-o answer.bin'] : []),
  ]
  return [`curl "${addressOf(call)}"`, ...options].join(' \\\n  ')
}

function bodyOptions(body: SampleCall['body']): string[] {
  if (body === null) return []
  if ('json' in body) return [`-d ${quoted(JSON.stringify(body.json))}`]
  return Object.entries(body.form).map(
    ([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`,
  )
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
