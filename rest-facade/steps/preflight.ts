import type { Request, RequestHandler, Response } from 'express'
import { callOf, headerOf } from '../http/call.ts'
import { send } from '../http/respond.ts'
import { type AnonymousLimit, countAddress } from './rate-limit.ts'

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'X-End-User',
  'X-Sandbox-Scenario',
  'traceparent',
  'tracestate',
]

/** KEY_PREFIX is the middle part of its name (docs/contract.md §1). */
const idempotencyHeader = /^x-[a-z0-9]+-idempotency-key$/i

/** Answers a CORS preflight. Browsers may keep the answer for two hours. */
export function preflight(limit: AnonymousLimit): RequestHandler {
  return function preflight(req, res, next) {
    const isPreflight = req.method === 'OPTIONS' && req.headers['access-control-request-method']
    return isPreflight ? answer(req, res) : next()
  }

  async function answer(req: Request, res: Response): Promise<void> {
    const asked = headerOf(req, 'access-control-request-headers').split(',')
    const keys = asked.map((name) => name.trim()).filter((name) => idempotencyHeader.test(name))
    await countAddress(callOf(res), limit)
    send(res, 204, Buffer.alloc(0), {
      'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': [...allowedHeaders, ...keys].join(', '),
      'Access-Control-Max-Age': '7200',
    })
  }
}
