import { accountRoutes } from './account.ts'
import { attentionRoutes } from './attention.ts'
import { auditEventRoutes } from './audit-events.ts'
import { auditExportRoutes } from './audit-export.ts'
import { billingRoutes } from './billing.ts'
import { budgetRoutes } from './budgets.ts'
import { checkoutRoutes } from './checkouts.ts'
import { creditRoutes } from './credits.ts'
import { entitlementRoutes } from './entitlements.ts'
import { keyRoutes } from './keys.ts'
import { memberRoutes } from './members.ts'
import { notificationRoutes } from './notifications.ts'
import { agentRoutes } from './oauth/agents.ts'
import { oauthAppRoutes } from './oauth/apps.ts'
import { oauthRoutes } from './oauth/discovery.ts'
import { portalRoutes } from './oauth/portal.ts'
import { oauthProviderRoutes } from './oauth/provider.ts'
import { oauthUserinfoRoutes } from './oauth/userinfo.ts'
import { passkeyRoutes } from './passkeys.ts'
import { sandboxRoutes } from './sandbox.ts'
import { sessionRoutes } from './sessions.ts'
import { usageRoutes } from './usage.ts'
import { webhookRoutes } from './webhooks.ts'

/**
 * All routes of the API, except local.ts and the product operations, which are rows of the catalog.
 */
export const routes = [
  ...accountRoutes,
  ...attentionRoutes,
  ...creditRoutes,
  ...budgetRoutes,
  ...entitlementRoutes,
  ...billingRoutes,
  ...checkoutRoutes,
  ...keyRoutes,
  ...sandboxRoutes,
  ...sessionRoutes,
  ...memberRoutes,
  ...passkeyRoutes,
  ...usageRoutes,
  ...auditEventRoutes,
  ...auditExportRoutes,
  ...webhookRoutes,
  ...notificationRoutes,
  ...oauthRoutes,
  ...portalRoutes,
  ...oauthProviderRoutes,
  ...oauthAppRoutes,
  ...oauthUserinfoRoutes,
  ...agentRoutes,
]
