import type { Readable } from 'node:stream'

/** Stores files that are written once and read whole. Names consist of `[A-Za-z0-9_.-]`. */
export interface FileStorage {
  /** Begins a file; an existing file of this name stays until the new one is finished. */
  create(name: string): Promise<FileWriter>
  /** Begins a file whose writer's `finish` throws FileExists if there is one of this name by then. */
  createOnce(name: string): Promise<FileWriter>
  has(name: string): Promise<boolean>
  /** Opens a file; null if there is no file of this name. */
  open(name: string): Promise<OpenFile | null>
  /** Removes the file, and the remains of a writer that died. A missing file is no error. */
  remove(name: string): Promise<void>
  close(): Promise<void>
}

/** Somebody else has finished a file of this name. */
export class FileExists extends Error {
  override readonly name = 'FileExists'
}

export interface FileWriter {
  /** Writes one chunk; resolves when the next chunk may follow. */
  write(chunk: Buffer): Promise<void>
  /** Makes the file visible, whole and durable. */
  finish(): Promise<void>
  /** Gives the file up, and leaves nothing behind. */
  abort(): Promise<void>
}

export interface OpenFile {
  readonly bytes: number
  /** Destroying the stream releases all its resources. */
  readonly stream: Readable
}
