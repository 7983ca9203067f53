import type { Request, Response } from 'express'
import { headerOf } from '../http/call.ts'
import { type Headers, send } from '../http/respond.ts'
import type { RpcError } from './protocol.ts'

/** Sends a message as JSON, or, to a client that takes nothing else, as a stream of one event. */
export function sendMessage(
  req: Request,
  res: Response,
  status: number,
  text: string,
  headers: Headers = {},
): void {
  if (takesJson(req)) {
    send(res, status, text, headers)
    return
  }
  // Between the values of JSON a line break is a space; within a text there is none.
  const event = `event: message\ndata: ${text.replaceAll(/[\r\n]+/g, ' ')}\n\n`
  send(res, status, event, { ...headers, 'Content-Type': 'text/event-stream' })
}

function takesJson(req: Request): boolean {
  const accept = headerOf(req, 'accept')
  // Nearly every client names both.
  if (accept === '' || accept.includes('application/json')) return true
  return req.accepts(['application/json', 'text/event-stream']) !== 'text/event-stream'
}

export function sendRpcError(req: Request, res: Response, error: RpcError): void {
  const { code, message, data, id, status } = error
  const said = data === undefined ? { code, message } : { code, message, data }
  const body = { jsonrpc: '2.0', ...(id !== null && { id }), error: said }
  sendMessage(req, res, status, JSON.stringify(body))
}
