import { buildSubgraph } from '../shared/build-subgraph.ts'
import { requireAccount } from '../shared/context.ts'
import { inProcessExecutor } from '../shared/in-process.ts'
import type { Subgraph } from '../shared/subgraph.ts'
import { Account } from './account.type.ts'
import { AccountUsageResolver } from './account-usage.resolver.ts'
import { AnonymousFailuresResolver } from './anonymous-failures.resolver.ts'
import { AuditChainVerificationResolver } from './audit-chain.resolver.ts'
import { AuditEventResolver } from './audit-event.resolver.ts'
import { AuditExportResolver } from './audit-export.resolver.ts'
import { runJob, watchJob } from './audit-export-queue.service.ts'
import { LoggedChargesResolver } from './charge-audit.resolver.ts'
import { UsageLog0001 } from './migrations/0001-usage-log.ts'
import { RollUps0002 } from './migrations/0002-roll-ups.ts'
import { AuditTrail0003 } from './migrations/0003-audit-trail.ts'
import { TenantIsolation0004 } from './migrations/0004-tenant-isolation.ts'
import { UsageLogPartitions0005 } from './migrations/0005-usage-log-partitions.ts'
import { AuditChain0006 } from './migrations/0006-audit-chain.ts'
import { AuditExport0007 } from './migrations/0007-audit-export.ts'
import { LowestRequestId0008 } from './migrations/0008-lowest-request-id.ts'
import { AuditExportQueue0009 } from './migrations/0009-audit-export-queue.ts'
import { LateEntries0010 } from './migrations/0010-late-entries.ts'
import { AuditHeads0011 } from './migrations/0011-audit-heads.ts'
import { AnonymousFailures0012 } from './migrations/0012-anonymous-failures.ts'
import { LateEntriesCallers0013 } from './migrations/0013-late-entries-callers.ts'
import type { UsageSettings } from './settings/usage-settings.ts'
import { UsageAuditResolver } from './usage-audit.resolver.ts'
import { UsageLogResolver } from './usage-log.resolver.ts'
import { UsageRepairResolver } from './usage-repair.resolver.ts'
import { UsageSeriesResolver } from './usage-series.resolver.ts'
import { UsageSummaryResolver } from './usage-summary.resolver.ts'
import { countSandboxUse } from './usage-summary.service.ts'
import { SandboxState } from './usage-summary.type.ts'

export { recordUsage } from './usage-log.service.ts'

/** The usage subgraph: the log of every authenticated request, its hourly sums, and the audit trail. */
export const usage: Subgraph<UsageSettings> = {
  name: 'usage',
  entities: [],
  migrations: [
    UsageLog0001,
    RollUps0002,
    AuditTrail0003,
    TenantIsolation0004,
    UsageLogPartitions0005,
    AuditChain0006,
    AuditExport0007,
    LowestRequestId0008,
    AuditExportQueue0009,
    LateEntries0010,
    AuditHeads0011,
    AnonymousFailures0012,
    LateEntriesCallers0013,
  ],
  jobs: ['KeepUsageLog'],
  longJobs: [runJob, watchJob, 'SettleLateEntries'],
  executor: inProcessExecutor,
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        AccountUsageResolver,
        AnonymousFailuresResolver,
        AuditChainVerificationResolver,
        AuditEventResolver,
        AuditExportResolver,
        LoggedChargesResolver,
        UsageAuditResolver,
        UsageLogResolver,
        UsageRepairResolver,
        UsageSeriesResolver,
        UsageSummaryResolver,
      ],
      orphanedTypes: [Account, SandboxState],
      references: {
        SandboxState: (_, context) =>
          countSandboxUse(context.database, requireAccount(context).accountId),
      },
    }),
}
