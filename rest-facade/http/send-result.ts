import type { Request, Response } from 'express'
import { mapInTurns, nextPart } from '../../schema/process/map-in-turns.ts'
import { isGone, startStream } from './respond.ts'

/** Sends the result of an operation; returns false to have it sent as JSON. */
export type SendResult<Result = unknown> = (
  result: Result,
  req: Request,
  res: Response,
) => boolean | Promise<boolean>

/** The number of items in a piece: about 40 KB of points. */
const itemsPerPiece = 200

/**
 * Sends a result with a long list, `items`, as JSON, in pieces: other requests have their turns while it
 * becomes text, and while it leaves. A short one is left to the caller.
 */
export const sendInTurns: SendResult = async function sendInTurns(result, _req, res) {
  const { items, ...others } = Object(result)
  if (!Array.isArray(items) || items.length <= itemsPerPiece) return false
  const starts = Array.from(
    { length: Math.ceil(items.length / itemsPerPiece) },
    (_, piece) => piece * itemsPerPiece,
  )
  // The list was made in this turn.
  await nextPart()
  const begin = `${JSON.stringify(others).slice(0, -1)}${Object.keys(others).length === 0 ? '' : ','}"items":`
  // The bracket of the first piece begins the list; a comma takes its place in all others.
  const pieces = await mapInTurns(starts, (start) => listPiece(items, start), 1)
  const parts = [Buffer.from(begin), ...pieces, Buffer.from(']}')]
  startStream(res, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(parts.reduce((sum, { length }) => sum + length, 0)),
  })
  for (const part of parts) {
    if (isGone(res)) return true
    const isTaken = res.write(part)
    await (isTaken ? nextPart() : untilDrained(res))
  }
  res.end()
  return true
}

/** A piece of the JSON of a list: what stands before its first item, and its items. */
function listPiece(items: readonly unknown[], start: number): Buffer {
  const text = Buffer.from(JSON.stringify(items.slice(start, start + itemsPerPiece)))
  if (start > 0) text[0] = comma
  return text.subarray(0, -1)
}

const comma = ','.charCodeAt(0)

/** Resolves when the client has read enough, or has left. */
function untilDrained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    function end(): void {
      res.off('drain', end)
      res.off('close', end)
      resolve()
    }
    res.on('drain', end)
    res.on('close', end)
  })
}
