import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { type Filters, parseSearch, writeSearch } from '../data/search.ts'
import { loadPart } from '../parts.ts'
import { root } from '../place.ts'
import { ConfirmAddressPage } from '../routes/doors/confirm-address.tsx'
import { HandoverPage } from '../routes/doors/handover.tsx'
import { InvitationPage } from '../routes/doors/invitation.tsx'
import { MailLinkPage } from '../routes/doors/mail-link.tsx'
import { PortalPage } from '../routes/doors/portal.tsx'
import { Failed } from './failed.tsx'
import { Missing } from './missing.tsx'
import { screens } from './screens.ts'
import { SignedIn } from './signed-in.tsx'
import { Waiting } from './waiting.tsx'

const rootRoute = createRootRoute({
  notFoundComponent: Missing,
  validateSearch: (search: Filters) => search,
})

const signedIn = createRoute({
  ...{ getParentRoute: () => rootRoute, id: 'signed-in', component: SignedIn },
})

const screenRoutes = screens.flatMap(({ path, load, details = [] }) =>
  [{ path: '', load }, ...details].map((one) =>
    createRoute({
      getParentRoute: () => signedIn,
      path: [path, one.path].filter(Boolean).join('/') || '/',
      component: lazyRouteComponent(() => loadPart(one.load)),
    }),
  ),
)

const doors = [
  createRoute({ getParentRoute: () => rootRoute, path: 'portal', component: PortalPage }),
  createRoute({ getParentRoute: () => rootRoute, path: 'handover', component: HandoverPage }),
  createRoute({ getParentRoute: () => rootRoute, path: 'invitation', component: InvitationPage }),
  createRoute({ getParentRoute: () => rootRoute, path: 'sign-in', component: MailLinkPage }),
  createRoute({
    ...{ getParentRoute: () => rootRoute, path: 'confirm-address' },
    component: ConfirmAddressPage,
  }),
  createRoute({
    ...{ getParentRoute: () => rootRoute, path: 'authorize' },
    component: lazyRouteComponent(() => loadPart(() => import('../routes/doors/authorize.tsx'))),
  }),
]

export const router = createRouter({
  routeTree: rootRoute.addChildren([signedIn.addChildren(screenRoutes), ...doors]),
  basepath: root.pathname.replace(/\/$/, ''),
  parseSearch,
  stringifySearch: (search) => writeSearch(search as Filters),
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: Failed,
  defaultPendingComponent: Waiting,
})
