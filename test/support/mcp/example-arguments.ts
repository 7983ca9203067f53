import type { ProductExample } from '../requests/every-row.ts'

/** The arguments of an operation's examples, flat. */
export function argumentsOf({ url, body, operation }: ProductExample) {
  const { pathname, searchParams } = new URL(url, 'http://a.example')
  const values = pathname.split('/')
  const template = operation.path.split('/')
  const offset = values.length - template.length
  const inPath = template.flatMap((part, index) =>
    part.startsWith('{')
      ? [[part.slice(1, -1), decodeURIComponent(values[index + offset] ?? '')]]
      : [],
  )
  const types = Object(operation.request.query).properties ?? {}
  const inQuery = [...searchParams].map(([name, text]) => [
    name,
    Object(types[name]).type === 'integer' ? Number(text) : text,
  ])
  return { ...Object.fromEntries([...inPath, ...inQuery]), ...Object(body) }
}
