import { unwatchFile, watchFile } from 'node:fs'
import type { Logger } from 'pino'
import {
  type CallerKey,
  type CallerKeys,
  callerKey,
} from '../../schema/credentials/caller-token.ts'
import { deriveKey } from '../../schema/credentials/secrets.ts'
import { readCallerSecrets } from './caller-secrets.ts'

export interface OpenCallerKeys {
  readonly keys: CallerKeys
  close(): void
}

/** Orchestrators replace a symbolic link: only polling notices that. */
const lookEveryMs = 1000

interface CallerKeyOptions {
  readonly gatewaySecret: string
  /** One secret per line: the first seals, all of them open. */
  readonly file: string | undefined
  readonly log: Logger
}

/**
 * Opens the keys that seal callers between processes: the keys of a file, which is read again when
 * it changes, otherwise the key that is derived from the gateway's secret.
 */
export function openCallerKeys({ gatewaySecret, file, log }: CallerKeyOptions): OpenCallerKeys {
  if (file === undefined) {
    const keys = [callerKey(deriveKey(gatewaySecret, 'caller'))]
    return { keys: () => keys, close: () => {} }
  }
  let keys = readKeys(file)
  function readAgain(path: string): void {
    try {
      keys = readKeys(path)
      log.info({ keys: keys.map(({ id }) => id) }, 'The keys of callers were read again')
    } catch (error) {
      // Old keys are better than no keys.
      log.error({ err: error }, 'The keys of callers cannot be read; the old ones are kept')
    }
  }
  const look = () => readAgain(file)
  watchFile(file, { interval: lookEveryMs, persistent: false }, look)
  return { keys: () => keys, close: () => unwatchFile(file, look) }
}

function readKeys(file: string): readonly CallerKey[] {
  return readCallerSecrets(file).map((secret) => callerKey(deriveKey(secret, 'caller')))
}
