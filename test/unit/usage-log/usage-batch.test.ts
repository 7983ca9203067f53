import { expect, test } from 'vitest'
import { type CallEntry, usageBatchOf } from '../../../rest-facade/charge/usage-log/usage-batch.ts'

const entry: CallEntry = {
  ...{ accountId: 'acct_1', environment: 'live', requestId: 'req_1', arrivedAtMs: 1000 },
  ...{ method: 'GET', endpoint: '/v1/x/1', route: '/v1/x/{id}', service: 'seo', status: 200 },
  ...{ credits: 0, latencyMs: 1, traceId: 'trace', backendModule: 'x', keyId: null },
}

const absent = {
  ...{ clientId: null, externalId: null, endUser: null, isSession: false },
  ...{ errorCode: null, errorDetails: null },
}

test('a batch has the values of a kind of request once, and rare values only if an entry has them', () => {
  const other = { ...entry, requestId: 'req_2', method: 'HEAD', credits: 7, keyId: 'key_1' }
  const batch = usageBatchOf([
    entry,
    other,
    { ...entry, requestId: 'req_3', endpoint: '/v1/x/{id}' },
  ])

  expect(JSON.parse(JSON.stringify(batch))).toEqual({
    ...{ environments: ['live', 'live'], methods: ['GET', 'HEAD'], services: ['seo', 'seo'] },
    ...{ routes: ['/v1/x/{id}', '/v1/x/{id}'], backendModules: ['x', 'x'] },
    ...{ operations: [0, 1, 0], accountIds: ['acct_1', 'acct_1', 'acct_1'] },
    ...{ requestIds: ['req_1', 'req_2', 'req_3'], arrivedAtMs: [1000, 1000, 1000] },
    ...{ endpoints: ['/v1/x/1', '/v1/x/1', null], statuses: [200, 200, 200], credits: [0, 7, 0] },
    ...{ latenciesMs: [1, 1, 1], traceIds: ['trace', 'trace', 'trace'] },
    keyIds: [null, 'key_1', null],
  })
})

test('an entry comes out as it went in, and its rare values have nulls for the others', () => {
  const rare = {
    ...{ clientId: 'app', externalId: 'team', endUser: 'user', isSession: true },
    ...{ errorCode: 'NOT_FOUND', errorDetails: '{}' },
  }
  const entries = [
    entry,
    { ...entry, requestId: 'req_2', ...rare },
    { ...entry, requestId: 'req_3' },
  ]
  const batch = usageBatchOf(entries)

  expect(entries.map((_, index) => batch.at(index))).toEqual([
    { ...entry, ...absent },
    { ...entry, requestId: 'req_2', ...rare },
    { ...entry, requestId: 'req_3', ...absent },
  ])
  expect(batch).toMatchObject({
    ...{ clientIds: [null, 'app', null], externalIds: [null, 'team', null] },
    ...{ endUsers: [null, 'user', null], isSession: [false, true, false] },
    ...{ errorCodes: [null, 'NOT_FOUND', null], errorDetails: [null, '{}', null] },
  })
  const [first, second] = batch.halves()
  expect([first.requestIds, second.requestIds]).toEqual([['req_1'], ['req_2', 'req_3']])
  expect([first.clientIds, second.clientIds]).toEqual([undefined, ['app', null]])
})

test('a request without a route is one of an unknown path', () => {
  const { route: _, ...unrouted } = entry
  const batch = usageBatchOf([unrouted])

  expect(batch).toMatchObject({ routes: ['*'], endpoints: ['/v1/x/1'] })
})
