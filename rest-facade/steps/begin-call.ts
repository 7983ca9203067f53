import type { RequestHandler } from 'express'
import { withoutKeys } from '../../schema/credentials/api-key-format.ts'
import type { Environment } from '../../schema/credentials/caller.ts'
import { newId } from '../../schema/vocabulary/ids.ts'
import { headerOf, setCall } from '../http/call.ts'
import { endUserOf } from '../http/fields/end-user.ts'
import { anyOrigin, type Headers } from '../http/respond.ts'
import { newTraceId } from '../http/trace-ids.ts'
import { clientAddress } from '../rate-limit/client-address.ts'

const maxEndpointLength = 2048
/** W3C Trace Context: version, trace id, parent id, flags; an all-zero trace id is invalid. */
const traceparent = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** Gives the request its ids and starts its clock. By default any page may read the answer. */
export function beginCall(
  environment: Environment,
  corsHeaders: Headers = anyOrigin,
): RequestHandler {
  return function beginCall(req, res, next) {
    const traceId = traceparent.exec(headerOf(req, 'traceparent'))?.[1]
    // Read once: the id has the same time of arrival.
    const arrivedAt = new Date()
    setCall(res, {
      requestId: newId('req', arrivedAt.getTime()),
      traceId: traceId ?? newTraceId(),
      environment,
      arrivedAt,
      arrivedAtMs: performance.now(),
      method: req.method,
      endpoint: withoutKeys(req.path).slice(0, maxEndpointLength),
      address: clientAddress(req),
      route: '',
      service: '',
      backendModule: '',
      corsHeaders,
      routeHeaders: {},
      endUser: endUserOf(req),
      caller: null,
      client: null,
      form: null,
      clientChallenge: '',
      credential: '',
      credentialId: '',
      budgetOwners: [],
      noticesBefore: 0,
      rateLimitRps: 0,
      rateWindow: null,
      limiter: 'address',
      isDispatched: false,
      toolStatus: null,
      whenAnswered: null,
      releaseRoom: null,
      spent: null,
      creditsCharged: 0,
      failure: null,
      settling: null,
    })
    next()
  }
}
