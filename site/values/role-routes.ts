import { routes } from '../../rest-facade/routes/index.ts'
import { templateOf } from '../../rest-facade/routes/kinds/route.ts'
import {
  mayCallProducts,
  type PersonRole,
  personRoles,
  scopesOfRole,
} from '../../schema/vocabulary/roles.ts'
import { coversTokenScope } from '../../schema/vocabulary/scopes.ts'
import { table } from '../markup/plain-text.ts'

/** An operation that the session of a person may ask for, and the roles that permit it. */
export interface RoleRoute {
  readonly method: string
  /** The path, with {placeholders}. */
  readonly path: string
  readonly roles: readonly PersonRole[]
}

/** Other kinds take no session, or are open to everybody. */
const kinds: readonly string[] = ['account', 'pdf']

/** The operations of accounts, of all of which the session of a person is a caller, in the order of the documentation. */
function roleRoutes(): readonly RoleRoute[] {
  return routes.flatMap((route) => {
    const { kind, method, scope, orScope = scope, ownerOnly } = route
    if (!kinds.includes(kind) || scope === undefined || orScope === undefined) return []
    const roles = personRoles.filter((role) => {
      const held = scopesOfRole(role)
      if (ownerOnly && role !== 'OWNER') return false
      return coversTokenScope(held, scope) || coversTokenScope(held, orScope)
    })
    return [{ method: method.toUpperCase(), path: templateOf(route), roles }]
  })
}

/**
 * Which role may ask for which operation of accounts, and where it may call products. `absent` are paths that are left
 * out.
 */
export function roleRouteTable(absent: readonly string[] = []): string {
  const shown = roleRoutes().filter(({ path }) => !absent.includes(path))
  const rows = shown.map(({ method, path, roles }) => [
    `\`${method} ${path}\``,
    ...personRoles.map((role) => (roles.includes(role) ? 'yes' : '–')),
  ])
  const products = personRoles.map(placeOfProducts)
  return table(['Operation', ...personRoles], [...rows, ['all product operations', ...products]])
}

function placeOfProducts(role: PersonRole): string {
  const held = scopesOfRole(role)
  if (!coversTokenScope(held, 'contacts:read')) return '–'
  return mayCallProducts(role, 'live') ? 'yes' : 'in the sandbox'
}

/** `docs/roles.md`, which the tests of roles read. */
export function rolesPage(): string {
  return `# Roles and routes

\`npm run schema\` writes this page from the table of routes and the scopes of [roles](contract.md#s11); a test asks each of them with each role. "Yes" means that the role permits it: what it is asked for can have rules of its own, such as that an ADMIN changes no OWNER ([Members](contract.md#s13)). Routes that are not here take no session of a person, or are open to everybody.

${roleRouteTable()}
`
}
