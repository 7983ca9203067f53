import { deprecationProblem } from '../../../schema/catalog/deprecation.ts'
import type { Finding } from '../report/finding.ts'
import { breaksOfEndpoints, endpointsOf } from './openapi-endpoints.ts'

/** Routes and product operations that end sooner than versioning promises. `openapi` is JSON. */
export function shortNotices(openapi: string): Finding[] {
  return endpointsOf(openapi).flatMap((endpoint) => {
    const { 'x-deprecated-since': since, 'x-sunset': sunset } = endpoint.operation
    if (since === undefined || sunset === undefined) return []
    const problem = deprecationProblem({ since, sunset })
    if (problem === null) return []
    const { route } = endpoint
    return [
      {
        ...{
          id: `openapi/short-notice/${route}`,
          severity: 'error',
          file: 'schema/generated/openapi.json',
        },
        message: `${route} is deprecated since ${since}; its sunset ${problem}, not ${sunset}`,
        breaks: breaksOfEndpoints([endpoint]),
      },
    ]
  })
}
