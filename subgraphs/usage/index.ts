import { buildSubgraph } from '../shared/build-subgraph.ts'
import { requireAccount } from '../shared/context.ts'
import type { Subgraph } from '../shared/subgraph.ts'
import { Account, AccountResolver } from './account.resolver.ts'
import { ChargeAuditResolver } from './charge-audit.resolver.ts'
import { UsageLog0001 } from './migrations/0001-usage-log.ts'
import { RollUps0002 } from './migrations/0002-roll-ups.ts'
import { UsageLogResolver } from './usage-log.resolver.ts'
import {
  AccountUsageResolver,
  BillingUsageResolver,
  OverviewUsageResolver,
} from './usage-summary.resolver.ts'
import { countSandboxUse } from './usage-summary.service.ts'
import { BillingSnapshot, Overview, SandboxState } from './usage-summary.type.ts'

/** The usage subgraph: the log of every authenticated request, and its hourly sums. */
export const usage: Subgraph = {
  name: 'usage',
  entities: [],
  migrations: [UsageLog0001, RollUps0002],
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        UsageLogResolver,
        AccountResolver,
        AccountUsageResolver,
        BillingUsageResolver,
        ChargeAuditResolver,
        OverviewUsageResolver,
      ],
      orphanedTypes: [Account, BillingSnapshot, Overview, SandboxState],
      references: {
        SandboxState: (_, context) =>
          countSandboxUse(context.database, requireAccount(context).accountId),
      },
    }),
}
