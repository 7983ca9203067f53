import type { RequestListener } from 'node:http'
import type { Express, Request, RequestHandler, Response } from 'express'
import { inOrder, type NoteLateFailure, type Step } from './steps.ts'

/**
 * Runs the steps, and hands what they pass on to the application. The listener makes requests and
 * responses as objects of the application; what Express adds to them later is added here.
 */
export function requestListenerOf(
  steps: readonly Step[],
  app: Express,
  noteLate: NoteLateFailure,
): RequestListener {
  const passOn: RequestHandler = function passOn(req, res) {
    app(req, res)
  }
  const listen = inOrder([...steps, passOn], noteLate)
  return function answer(incoming, outgoing) {
    const req = incoming as Request
    const res = outgoing as Response
    req.res = res
    req.originalUrl = req.url
    req.baseUrl = ''
    listen(req, res, () => giveUp(res))
  }
}

/** Called when a step fails that nothing rescues. */
function giveUp(res: Response): void {
  if (res.headersSent) res.destroy()
  else res.writeHead(500).end()
}
