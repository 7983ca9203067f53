import type { FileStorage } from './file-storage.ts'
import { localFiles } from './local-files.ts'
import { type S3Options, s3Files } from './s3-files.ts'

/** A directory serves the processes of one host, a bucket serves those of all hosts. */
export type FileStorageSettings = { readonly directory: string } | { readonly s3: S3Options }

export function openFileStorage(settings: FileStorageSettings): FileStorage {
  return 's3' in settings ? s3Files(settings.s3) : localFiles(settings.directory)
}
