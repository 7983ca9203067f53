import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { createClient, type TestResponse } from './client.ts'

/** The `curl …` of a banner, with its continued lines. */
export function curlCommand(banner: string): string {
  return banner.slice(banner.indexOf('  curl ')).trim()
}

/**
 * Does what a shell does with a pasted `curl` command: the shell takes it apart, so its quotes and
 * substitutions count; the request is made here, since curl is not installed everywhere.
 * `variables` are those of the shell.
 */
export function paste(
  command: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`],
    {
      encoding: 'utf8',
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...variables },
    },
  )
  if (stderr !== '') throw new Error(`The shell complains: ${stderr}`)
  const args = stdout.split('\0').slice(0, -1)
  const valuesOf = (option: string) => args.filter((_, index) => args[index - 1] === option)
  const url = args.find((arg) => arg.startsWith('http://')) ?? ''
  const basic = valuesOf('-u').map((user) => [
    'authorization',
    `Basic ${Buffer.from(user).toString('base64')}`,
  ])
  const headers = valuesOf('-H').map((header) => {
    const [name = '', ...rest] = header.split(': ')
    return [name.toLowerCase(), rest.join(': ')]
  })
  const encoded = valuesOf('--data-urlencode').map((pair) => {
    const [name = '', ...value] = pair.split('=')
    return `${name}=${encodeURIComponent(value.join('='))}`
  })
  const data = [...valuesOf('-d'), ...encoded]
  const body = data.length > 0 ? data.join('&') : undefined
  const [method = body === undefined ? 'GET' : 'POST'] = valuesOf('-X')
  const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = { ...form, ...Object.fromEntries([...basic, ...headers]) }
  return createClient(url).request('', { method, headers: sent, body })
}
