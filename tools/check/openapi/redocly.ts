import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)
const redocly = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js')

/**
 * The JSON output of `redocly <command> <files>`. `files`: name → content, in a folder of their
 * own, so that no configuration applies but what `options` names. Throws what it said where it
 * reports nothing.
 */
export function askRedocly(
  command: 'diff' | 'lint',
  files: Readonly<Record<string, string>>,
  options: readonly string[],
): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    const args = [redocly, command, ...Object.keys(files), '--format', 'json', ...options]
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    })
    return parseReport(stdout, stderr)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function parseReport(stdout: string, stderr: string): unknown {
  try {
    return JSON.parse(stdout)
  } catch (cause) {
    throw new Error(`Redocly reports nothing: ${stderr || stdout}`, { cause })
  }
}
