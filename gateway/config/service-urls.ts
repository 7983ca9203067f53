import { subgraphNames } from './role-names.ts'
import { isOrigin, url } from './variables/formats.ts'
import type { Variables } from './variables/variables.ts'

/** Module → URL, for every `BACKEND_<MODULE>_URL` that is set. */
export function readBackendUrls(
  given: Variables,
  backendModules: readonly string[],
  problems: string[],
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const module of backendModules) {
    const name = `BACKEND_${module.toUpperCase().replaceAll('-', '_')}_URL`
    const backendUrl = url.optional().safeParse(given[name])
    if (!backendUrl.success) problems.push(`${name} must be an http or https URL`)
    else if (backendUrl.data !== undefined) found.set(module, backendUrl.data)
  }
  return found
}

/** Subgraph → origins of its instances, for every `<SUBGRAPH>_SUBGRAPH_URL` that is set. */
export function readSubgraphUrls(
  given: Variables,
  problems: string[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  for (const subgraph of subgraphNames) {
    const name = `${subgraph.toUpperCase()}_SUBGRAPH_URL`
    const text = given[name]
    if (text === undefined) continue
    const urls = text.split(',').map((part) => part.trim())
    if (urls.every((part) => url.safeParse(part).success && isOrigin(part)))
      found.set(subgraph, urls)
    else problems.push(`${name} must be a comma-separated list of http or https origins`)
  }
  return found
}
