import { expect, test } from 'vitest'
import { callLine } from '../../../rest-facade/charge/hold.ts'
import { routes } from '../../../rest-facade/routes/index.ts'
import { serviceOf, templateOf } from '../../../rest-facade/routes/kinds/route.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'
import { newId } from '../../../schema/vocabulary/ids.ts'

const operations = loadCatalog().services.flatMap(({ slug, backendModule, operations }) =>
  operations.map(({ method, path }) => ({
    ...{ method, route: `/v1/${slug}${path}`, service: slug, backendModule },
  })),
)
const changes = routes.map((route) => ({
  method: route.method.toUpperCase(),
  route: templateOf(route),
  service: serviceOf(route.path),
  backendModule: 'subgraph:account',
}))

test('the line of a call is JSON, for each route', () => {
  const ts = new Date().toISOString()
  const common = { processId: newId('proc'), ts, traceId: 'a'.repeat(32) }
  const callers = [
    { keyId: newId('key') },
    { keyId: null, clientId: 'app "x"' },
    { keyId: newId('key'), externalId: 'a "quoted" {team}, \\ and more' },
    { keyId: null, endUser: 'user', isSession: true },
  ]
  for (const named of [...operations, ...changes]) {
    for (const caller of callers) {
      const { method, route, service, backendModule } = named
      const {
        keyId,
        clientId = null,
        externalId = null,
        endUser = null,
        isSession,
      } = Object(caller)
      const usual = [
        common.processId,
        ts,
        method,
        route,
        service,
        common.traceId,
        backendModule,
        keyId,
      ]
      const isLonger = clientId !== null || externalId !== null || endUser !== null
      const further = isLonger ? [clientId, externalId, endUser] : []
      expect(JSON.parse(callLine({ ...common, ...named, ...caller }))).toEqual([
        ...usual,
        ...further,
        ...(isSession ? [true] : []),
      ])
    }
  }
  expect(operations.length).toBeGreaterThan(10)
})
