import type { Call } from '../../../rest-facade/http/call.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'
import { callerOf } from '../database/planted-tenant.ts'

/** A refused call; without an account its caller is unknown. */
export function callFrom(address: string, accountId?: string): Call {
  return {
    ...{ requestId: newId('req'), traceId: '', environment: 'live', arrivedAt: new Date() },
    ...{ arrivedAtMs: 0, method: 'GET', endpoint: '/v1/x', address },
    ...{ route: '/v1/x', service: 'account', backendModule: 'x' },
    ...{ corsHeaders: {}, routeHeaders: {}, endUser: null },
    caller: accountId === undefined ? null : { ...callerOf(accountId), keyId: `key_${accountId}` },
    ...{ client: null, form: null, credential: '', credentialId: '', clientChallenge: '' },
    ...{
      limiter: 'account',
      rateLimitRps: 1,
      rateWindow: null,
      budgetOwners: [],
      noticesBefore: 0,
    },
    ...{
      isDispatched: false,
      toolStatus: null,
      whenAnswered: null,
      releaseRoom: null,
      spent: null,
      creditsCharged: 0,
      failure: null,
      settling: null,
    },
  }
}
