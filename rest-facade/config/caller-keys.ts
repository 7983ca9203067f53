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

/** A link that was pointed elsewhere, as orchestrators do, is seen only by looking. */
const lookEveryMs = 1000

interface CallerKeyOptions {
  readonly gatewaySecret: string
  /** One secret a line: the first seals, each of them opens. */
  readonly file: string | undefined
  readonly log: Logger
}

/**
 * The keys that callers are sealed with between processes: those of a file, which is read again when it
 * changes, else the one that follows from the gateway's secret.
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
      // Better yesterday's keys than none.
      log.error({ err: error }, 'The keys of callers cannot be read; those from before are kept')
    }
  }
  const look = () => readAgain(file)
  watchFile(file, { interval: lookEveryMs, persistent: false }, look)
  return { keys: () => keys, close: () => unwatchFile(file, look) }
}

function readKeys(file: string): readonly CallerKey[] {
  return readCallerSecrets(file).map((secret) => callerKey(deriveKey(secret, 'caller')))
}
