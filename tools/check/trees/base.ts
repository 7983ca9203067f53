import { execFileSync, spawnSync } from 'node:child_process'
import { CannotCheck } from '../report/finding.ts'
import type { Tree } from './tree.ts'

const generatedFolder = 'schema/generated/'

/** The committed state that this tree is compared with: the base. */
export interface Base extends Tree {
  /** The revision as the user named it. */
  readonly revision: string
  /** The full hash of the revision. */
  readonly commit: string
}

/**
 * Throws CannotCheck without git, history or the revision: a missing base must not look like no
 * change.
 */
export function openBase(root: string, revision: string): Base {
  const probe = spawnSync('git', ['rev-parse', '--git-dir'], { cwd: root, encoding: 'utf8' })
  if (probe.status !== 0) {
    const reason = probe.error ? 'git cannot be run' : probe.stderr.trim()
    throw new CannotCheck(`There is no base to compare the contract with: ${reason}`)
  }
  const commit = ask('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`)
  if (commit === null) throw new CannotCheck(explainMissing())
  const hash = commit.trim()

  function filesIn(folder: string): readonly string[] {
    const names = run('ls-tree', '-r', '-z', '--name-only', hash, '--', folder)
    return names.split('\0').filter((name) => name !== '')
  }

  // Older revisions have the generated files directly in schema/.
  const isOlder = filesIn(generatedFolder).length === 0
  const nowOf = (file: string) =>
    isOlder ? file.replace(/^schema\/(?=[^/]+\.(graphql|json)$)/, generatedFolder) : file
  const thenOf = (file: string) => (isOlder ? file.replace(generatedFolder, 'schema/') : file)
  const list = (folder: string) => filesIn(folder).map(nowOf)

  return {
    revision,
    commit: hash,
    list,
    read: (file) =>
      filesIn(thenOf(file)).includes(thenOf(file))
        ? run('show', `${hash}:./${thenOf(file)}`)
        : null,
  }

  function explainMissing(): string {
    const isShallow = ask('rev-parse', '--is-shallow-repository')?.trim() === 'true'
    const missing = `There is no git revision ${revision} to compare with`
    if (!isShallow) return `${missing}.`
    return `${missing}: this clone is shallow. Fetch more of it, such as by git fetch --unshallow.`
  }

  function ask(...args: string[]): string | null {
    try {
      return run(...args)
    } catch {
      return null
    }
  }

  function run(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 64 * 1024 * 1024,
    })
  }
}
