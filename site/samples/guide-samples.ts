import { python } from './python.ts'
import type { SampleCall } from './sample-call.ts'
import { typescript } from './typescript.ts'

const fence = /^```sh\n((?:curl|\{\{example_)(?:(?!\n```).)*)\n```\n(?!\n```(?:ts|python))/gms
const exampleValue = /^\{\{(example_\w*?)curl\}\}$/

/**
 * Puts the same call in TypeScript and Python behind each `curl` of a guide; a guide that has written them itself
 * keeps its own. The installation writes its examples in all languages.
 */
export function withLanguages(markdown: string): string {
  return markdown.replaceAll(fence, (shell, command: string) => {
    const [, example] = exampleValue.exec(command) ?? []
    const programs =
      example === undefined
        ? [typescript(callOf(command)), python(callOf(command))]
        : [`{{${example}ts}}`, `{{${example}python}}`]
    const [ts, py] = programs
    return `${shell}\n\`\`\`ts\n${ts}\n\`\`\`\n\n\`\`\`python\n${py}\n\`\`\`\n`
  })
}

const argument = /\s*(?:'((?:[^']|'\\'')*)'|"([^"]*)"|([^\s'"]+))/gy

/** Reads a command as the guides write it: an address, `-X`, `-H` and `-d`. */
function callOf(command: string): SampleCall {
  const words = [...command.replaceAll('\\\n', ' ').matchAll(argument)].map(
    ([, single, double, bare]) => (single ?? double ?? bare ?? '').replaceAll("'\\''", "'"),
  )
  const valuesOf = (option: string) => words.filter((_, index) => words[index - 1] === option)
  const headers = valuesOf('-H').map((header) => {
    const [name = '', ...rest] = header.split(': ')
    return [name, rest.join(': ')] as const
  })
  const [data] = valuesOf('-d')
  const address = words[1] ?? ''
  const [method = data === undefined ? 'GET' : 'POST'] = valuesOf('-X')
  if (!address.startsWith('$GATEWAY_URL/') || words[0] !== 'curl') {
    throw new Error(`A command of a guide asks no address of the gateway: ${command}`)
  }
  const own = new Set(['Authorization', 'Content-Type'])
  return {
    method,
    path: address.slice('$GATEWAY_URL'.length),
    headers: Object.fromEntries(headers.filter(([name]) => !own.has(name))),
    body: data === undefined ? null : { json: JSON.parse(data) },
    isPublic: !headers.some(([name]) => name === 'Authorization'),
  }
}
