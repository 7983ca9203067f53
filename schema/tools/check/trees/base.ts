import { execFileSync, spawnSync } from 'node:child_process'
import { CannotCheck } from '../report/finding.ts'
import type { Tree } from './tree.ts'

/** The committed state that this tree is compared with: the base. */
export interface Base extends Tree {
  /** The revision as the user named it. */
  readonly revision: string
  /** Its full hash. */
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

  function list(folder: string): readonly string[] {
    const names = run('ls-tree', '-r', '-z', '--name-only', hash, '--', folder)
    return names.split('\0').filter((name) => name !== '')
  }

  return {
    revision,
    commit: hash,
    list,
    read: (file) => (list(file).includes(file) ? run('show', `${hash}:./${file}`) : null),
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
