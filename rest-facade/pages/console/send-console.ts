import { randomBytes } from 'node:crypto'
import type { Request, Response } from 'express'
import { type Headers, send } from '../../http/respond.ts'
import { type Encoding, encodingFor } from '../../http/static-answer.ts'
import { consolePolicy } from './console-policy.ts'

/** A file whose name has the hash of its content. The build has compressed it. */
export interface ConsoleFile {
  readonly contentType: string
  as(encoding: Encoding): Buffer
}

/** The files of the console, or of the page of operators, as `npm run build -w console` writes them. */
export interface ConsoleFiles {
  /** The document of all its pages, which permits styles with this nonce. */
  document(nonce: string): string
  /** Finds a file by its name below the path of the document: `assets/index-Cb7vIBhZ.js`. */
  find(name: string): ConsoleFile | null
}

/** Whether the name is that of a file; every other name is answered with the document. */
export function isFileOfConsole(name: string): boolean {
  return name.startsWith('assets/') || name === 'icon.svg'
}

export function sendDocument(res: Response, console: ConsoleFiles): void {
  const nonce = randomBytes(16).toString('base64url')
  send(res, 200, console.document(nonce), {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': consolePolicy(nonce),
    'Cross-Origin-Opener-Policy': 'same-origin',
  })
}

export function sendFile(req: Request, res: Response, file: ConsoleFile, name: string): void {
  const encoding = encodingFor(req)
  const encoded: Headers = encoding === 'identity' ? {} : { 'Content-Encoding': encoding }
  send(res, 200, file.as(encoding), {
    ...encoded,
    'Content-Type': file.contentType,
    'Cache-Control': name === 'icon.svg' ? 'max-age=86400' : 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
  })
}
