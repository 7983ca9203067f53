import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { type Filters, parseSearch, writeSearch } from '../../../src/data/search.ts'
import { loadPart } from '../../../src/parts.ts'
import { root } from '../../../src/place.ts'
import { Failed } from '../../../src/shell/failed.tsx'
import { Waiting } from '../../../src/shell/waiting.tsx'
import { Missing } from '../components/missing.tsx'
import { accountPage, screens } from './screens.ts'
import { SignedIn } from './signed-in.tsx'

const rootRoute = createRootRoute({
  component: SignedIn,
  notFoundComponent: Missing,
  validateSearch: (search: Filters) => search,
})

const routes = [
  ...screens.map(({ path, load }) => ({ path: path || '/', load })),
  // The address of an account without its end.
  ...screens.slice(0, 1).map(({ load }) => ({ path: 'accounts', load })),
  { path: 'accounts/$accountId', load: accountPage },
  { path: 'accounts/$accountId/$part', load: accountPage },
].map(({ path, load }) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    component: lazyRouteComponent(() => loadPart(load)),
  }),
)

export const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  basepath: root.pathname.replace(/\/$/, ''),
  parseSearch,
  stringifySearch: (search) => writeSearch(search as Filters),
  // Nothing is asked of an account before somebody opens it: each look at one is recorded.
  defaultPreload: false,
  scrollRestoration: true,
  defaultErrorComponent: Failed,
  defaultPendingComponent: Waiting,
})
