import type { RequestHandler } from 'express'
import { ApiError } from '../../rest-facade/http/errors.ts'

/**
 * Refuses every host but that of the address, port included. Only the header counts: a proxy in front of the
 * gateway hands it on, and `X-Forwarded-Host` says nothing here.
 */
export function requireOperatorHost(baseUrl: string): RequestHandler {
  const { host, hostname, port, protocol } = new URL(baseUrl)
  const usualPort = protocol === 'https:' ? '443' : '80'
  const own = new Set(port === '' ? [host, `${hostname}:${usualPort}`] : [host])
  return function operatorHostOnly({ headers }, _res, next) {
    next(own.has(headers.host?.toLowerCase() ?? '') ? undefined : foreignHost)
  }
}

const foreignHost = new ApiError(
  'FORBIDDEN',
  'The page of operators answers at OPERATOR_BASE_URL alone.',
)
