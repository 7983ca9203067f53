import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Encoding } from '../../../rest-facade/http/static-answer.ts'
import type { ConsoleFile, ConsoleFiles } from '../../../rest-facade/pages/console/send-console.ts'
import { projectRoot } from '../../../schema/process/project-root.ts'

const built = join(projectRoot, 'console/dist')

const contentTypes: ReadonlyMap<string, string> = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
])

const suffixes: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz', identity: '' }

/**
 * Reads the console once; null if it was not built. `path` is the path of the gateway on its host,
 * without a slash at the end; usually it is empty.
 */
export function readConsole(path: string): ConsoleFiles | null {
  return readFiles(`${path}/console/`, built)
}

/** Reads the page of operators once; null if it was not built. */
export function readOperatorPage(): ConsoleFiles | null {
  return readFiles('/operator/', join(built, 'operator'))
}

/** The files of a folder, whose document is at the path `below`. */
function readFiles(below: string, folder: string): ConsoleFiles | null {
  if (!existsSync(join(folder, 'index.html'))) return null
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const document = page.replaceAll('"./', `"${below}`)
  const names = ['icon.svg', ...readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)]
  const files = new Map(
    names.flatMap((name) => {
      const contentType = contentTypes.get(name.replace(/^.*\./, ''))
      return contentType ? [[name, consoleFile(join(folder, name), contentType)] as const] : []
    }),
  )
  return {
    document: (nonce) => document.replace('{nonce}', nonce),
    find: (name) => files.get(name) ?? null,
  }
}

/** Each encoding is read when it is first asked for. */
function consoleFile(file: string, contentType: string): ConsoleFile {
  const bodies = new Map<Encoding, Buffer>()
  return {
    contentType,
    as(encoding) {
      const body = bodies.get(encoding) ?? readFileSync(`${file}${suffixes[encoding]}`)
      bodies.set(encoding, body)
      return body
    },
  }
}
