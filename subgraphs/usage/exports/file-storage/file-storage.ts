import type { Readable } from 'node:stream'

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
