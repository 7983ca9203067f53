import { buildSubgraph } from '../shared/build-subgraph.ts'
import type { Subgraph } from '../shared/subgraph.ts'
import { Account, AccountResolver } from './account.resolver.ts'
import { ChargeAuditResolver } from './charge-audit.resolver.ts'
import { UsageLog0001 } from './migrations/0001-usage-log.ts'
import { UsageLogResolver } from './usage-log.resolver.ts'

/** The usage subgraph: the log of every authenticated request. */
export const usage: Subgraph = {
  name: 'usage',
  entities: [],
  migrations: [UsageLog0001],
  buildSchema: () =>
    buildSubgraph({
      resolvers: [UsageLogResolver, AccountResolver, ChargeAuditResolver],
      orphanedTypes: [Account],
    }),
}
