import { describe, expect, test } from 'vitest'
import { pastCalls, seededRandom } from '../../../gateway/trial/demo/demo-calls.ts'
import { ownCalls } from '../../../gateway/trial/demo/demo-customers.ts'
import { loadCatalog } from '../../../schema/catalog/load-catalog.ts'

const catalog = loadCatalog()
const operations = new Map(
  catalog.services
    .flatMap((service) => service.operations)
    .map((one) => [`${one.method} /v1/${one.service}${one.path}`, one]),
)

/** The calls of a demo that begins on this day. */
function callsUntil(day: string) {
  const random = seededRandom(Date.parse(day))
  const endsAtMs = Date.parse(`${day}T10:00:00Z`)
  return ownCalls(pastCalls(catalog, endsAtMs, random), { catalog, endsAtMs, random }).calls
}

describe.each(['2026-11-01', '2026-11-10', '2026-11-21', '2026-11-30'])(
  'a failure of the demo of %s is one that',
  (day) => {
    const calls = callsUntil(day)
    const failures = calls.filter(({ errorCode }) => errorCode !== undefined)
    const by = (code: string) =>
      failures
        .filter(({ errorCode, route }) => errorCode === code && !route.startsWith('/v1/account'))
        .map((call) => ({
          ...{ call, details: JSON.parse(call.errorDetails ?? 'null') },
          operation: operations.get(`${call.method} ${call.route}`),
        }))

    test('a field of its operation can cause', () => {
      const found = by('INVALID_REQUEST')
      expect(found.length).toBeGreaterThan(5)
      for (const { details, operation } of found) {
        const [{ name, rule }] = details.fields
        const { properties, required } = Object(operation?.request.schemas.body)
        expect(Object.keys(properties)).toContain(name)
        if (rule === 'required') expect(required).toContain(name)
        else expect(properties[name]).toHaveProperty(rule)
        expect(details).toEqual({ layer: null, limit: null, scope: null, fields: [{ name, rule }] })
      }
    })

    test('a spent budget of its customer can cause, where the call costs something', () => {
      const found = by('BUDGET_EXCEEDED')
      expect(found.length).toBeGreaterThan(0)
      for (const { call, details, operation } of found) {
        const { ts, externalId } = call
        expect(externalId).toBe('kestrel')
        expect(details).toEqual({ layer: 'external_id', limit: 150, scope: null, fields: [] })
        const spent = calls
          .filter((one) => one.externalId === externalId && one.ts < ts)
          .filter((one) => one.ts.toISOString().slice(0, 7) === ts.toISOString().slice(0, 7))
          .reduce((sum, { credits }) => sum + credits, 0)
        expect(spent).toBeLessThanOrEqual(150)
        expect(spent + (operation?.price.maximum ?? 0)).toBeGreaterThan(150)
      }
    })

    test('a key without the scope of its operation can get', () => {
      const found = by('FORBIDDEN')
      expect(found.length).toBeGreaterThan(0)
      for (const { call, details, operation } of found) {
        expect(details).toEqual({ layer: null, limit: null, scope: operation?.scope, fields: [] })
        const isTried = ({ externalId, route, method, status }: (typeof calls)[number]) =>
          externalId === call.externalId &&
          status < 400 &&
          operations.get(`${method} ${route}`)?.scope === operation?.scope
        expect([call.externalId === null, calls.some(isTried)]).toEqual([false, false])
      }
    })

    test('comes from the object of a path that names one, and costs nothing', () => {
      for (const { call, details } of by('NOT_FOUND')) {
        expect(call.route).toMatch(/\{\w+_id\}$/)
        expect(details).toEqual({ layer: 'module', limit: null, scope: null, fields: [] })
      }
      for (const { credits, status } of failures)
        expect([credits, status >= 400]).toEqual([0, true])
    })
  },
)
