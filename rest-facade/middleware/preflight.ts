import type { RequestHandler } from 'express'
import { callOf } from '../call.ts'
import { send } from '../respond.ts'
import { type AnonymousLimit, countAddress } from './rate-limit.ts'

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'X-SVC-Idempotency-Key',
  'X-Sandbox-Scenario',
  'traceparent',
  'tracestate',
].join(', ')

/** Answers a CORS preflight: any origin, no credentials; browsers may keep the answer for two hours. */
export function preflight(limit: AnonymousLimit): RequestHandler {
  return async function preflight(req, res, next) {
    const isPreflight = req.method === 'OPTIONS' && req.headers['access-control-request-method']
    if (!isPreflight) return next()
    await countAddress(callOf(res), limit)
    send(res, 204, Buffer.alloc(0), {
      'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
      'Access-Control-Allow-Headers': allowedHeaders,
      'Access-Control-Max-Age': '7200',
    })
  }
}
