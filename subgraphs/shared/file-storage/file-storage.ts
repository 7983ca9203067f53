import type { Readable } from 'node:stream'
import { localFiles } from './local-files.ts'
import { type S3Options, s3Files } from './s3-files.ts'

/** Where files are kept that are written once and read whole. A name is one of ours: `[A-Za-z0-9_.-]`. */
export interface FileStorage {
  /** Begins a file; whatever is there under its name stays until it is finished. */
  create(name: string): Promise<FileWriter>
  /** Null when there is none of this name. */
  open(name: string): Promise<OpenFile | null>
  /** Also what a writer that died has left of it; nothing happens when there is nothing. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}

export interface FileWriter {
  /** One at a time; resolves when more may come. */
  write(chunk: Buffer): Promise<void>
  /** Makes the file visible, whole and durable. */
  finish(): Promise<void>
  /** Leaves nothing behind. */
  abort(): Promise<void>
}

export interface OpenFile {
  readonly bytes: number
  /** Destroying it lets go of everything. */
  readonly stream: Readable
}

/** Of this host alone, or of every process that uses the bucket. */
export type FileStorageSettings = { readonly directory: string } | { readonly s3: S3Options }

export function openFileStorage(settings: FileStorageSettings): FileStorage {
  return 's3' in settings ? s3Files(settings.s3) : localFiles(settings.directory)
}
