import type { Writable } from 'node:stream'
import { FileExists } from '../../../subgraphs/usage/exports/file-storage/file-storage.ts'
import {
  type FileStorageSettings,
  openFileStorage,
} from '../../../subgraphs/usage/exports/file-storage/open-file-storage.ts'
import {
  createDailyDigest,
  type DailyDigest,
  type DigestPlace,
} from '../../books/digests/daily-digest.ts'
import { digestKeyOf } from '../../books/digests/digest-key.ts'
import type { Addresses } from '../../config/addresses.ts'
import { digestStorageOf } from '../../config/subgraph-settings.ts'
import type { ProcessContext } from '../process/process-context.ts'

interface OpenDigestPlace extends DigestPlace {
  close(): Promise<void>
}

export function openDigestPlace(settings: FileStorageSettings): OpenDigestPlace {
  const files = openFileStorage(settings)
  return {
    has: (name) => files.has(name),
    async add(name, fill) {
      const writer = await files.createOnce(name)
      try {
        const result = await fill((text) => writer.write(Buffer.from(text)))
        await writer.finish()
        return result
      } catch (error) {
        if (error instanceof FileExists) return null
        await writer.abort()
        throw error
      }
    },
    close: () => files.close(),
  }
}

/** Makes this process write the digest of each day; null if no place for digests is configured. */
export async function openDailyDigest(
  { config, metrics, resources }: ProcessContext,
  { gatewaySecret, addresses }: { readonly gatewaySecret: string; readonly addresses: Addresses },
  output: Writable = process.stdout,
): Promise<DailyDigest | null> {
  const settings = digestStorageOf(config)
  if (!settings) return null
  const place = openDigestPlace(settings)
  resources.defer(() => place.close())
  return createDailyDigest({
    ...{ place, gateway: addresses.baseUrls.live, key: await digestKeyOf(gatewaySecret) },
    // The digest is logged too, because the owner of the database cannot change a collector of
    // logs.
    show: (signed) => void output.write(`${JSON.stringify(signed)}\n`),
    noteOverdue(seconds) {
      metrics.digestOverdueSeconds.set(seconds)
      if (seconds === 0) metrics.digestAt.set(Math.floor(Date.now() / 1000))
    },
  })
}
