import type { Request, Response } from 'express'
import { mapInTurns, nextPart } from '../../schema/process/map-in-turns.ts'
import { isGone, startStream } from './respond.ts'

/** Sends the result of an operation; returns false to have it sent as JSON. */
export type SendResult = (
  result: unknown,
  req: Request,
  res: Response,
) => boolean | Promise<boolean>

/** About 40 KB of points. */
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
  const texts = await mapInTurns(starts, (start) =>
    JSON.stringify(items.slice(start, start + itemsPerPiece)).slice(1, -1),
  )
  const pieces = [
    `${JSON.stringify(others).slice(0, -1)}${Object.keys(others).length === 0 ? '' : ','}"items":[`,
    ...texts.map((text, piece) => (piece === 0 ? text : `,${text}`)),
    ']}',
  ].map((text) => Buffer.from(text))
  startStream(res, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(pieces.reduce((sum, { length }) => sum + length, 0)),
  })
  for (const piece of pieces) {
    if (isGone(res)) return true
    const isTaken = res.write(piece)
    await (isTaken ? nextPart() : untilDrained(res))
  }
  res.end()
  return true
}

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
