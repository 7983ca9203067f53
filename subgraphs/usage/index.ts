import { buildSubgraph } from '../shared/graph/build-subgraph.ts'
import { requireAccount } from '../shared/graph/context.ts'
import { inProcessExecutor } from '../shared/graph/in-process.ts'
import type { Subgraph } from '../shared/graph/subgraph.ts'
import { Account } from './accounts/account.type.ts'
import { AnonymousFailuresResolver } from './anonymous-failures/anonymous-failures.resolver.ts'
import { AuditExportResolver } from './exports/audit-export.resolver.ts'
import { runJob, watchJob } from './exports/audit-export-queue.service.ts'
import { useOfExternalId } from './external-ids/external-id.service.ts'
import { ExternalId } from './external-ids/external-id.type.ts'
import { AccountUsageResolver } from './log/account-usage.resolver.ts'
import { LoggedChargesResolver } from './log/logged-charges.resolver.ts'
import { UsageErrorsResolver } from './log/usage-errors.resolver.ts'
import { UsageLogResolver } from './log/usage-log.resolver.ts'
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
import { UsageEpochs0014 } from './migrations/0014-usage-epochs.ts'
import {
  AuditExportCallers0016,
  UsageAttribution0015,
  UsageLogEndUsers0017,
} from './migrations/0015-usage-attribution.ts'
import { SessionActors0018 } from './migrations/0018-session-actors.ts'
import { AuditExportSources0020, UsageLogSessions0019 } from './migrations/0019-session-entries.ts'
import { Analysis0021 } from './migrations/0021-analysis.ts'
import { UsageRecordingResolver } from './recording/usage-recording.resolver.ts'
import { UsageSeriesResolver } from './series/usage-series.resolver.ts'
import type { UsageSettings } from './settings/usage-settings.ts'
import { UsageSummaryResolver } from './summaries/usage-summary.resolver.ts'
import { countSandboxUse } from './summaries/usage-summary.service.ts'
import { SandboxState } from './summaries/usage-summary.type.ts'
import { UsageAuditResolver } from './summaries/usage-verification.resolver.ts'
import { AuditChainVerificationResolver } from './trail/audit-chain-verification.resolver.ts'
import { AuditEventResolver } from './trail/audit-event.resolver.ts'
import { AuditHeadResolver } from './trail/audit-head.resolver.ts'

export { recordUsage } from './log/usage-log.service.ts'

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
    UsageEpochs0014,
    UsageAttribution0015,
    AuditExportCallers0016,
    UsageLogEndUsers0017,
    SessionActors0018,
    UsageLogSessions0019,
    AuditExportSources0020,
    Analysis0021,
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
        AuditHeadResolver,
        AuditEventResolver,
        AuditExportResolver,
        LoggedChargesResolver,
        UsageAuditResolver,
        UsageErrorsResolver,
        UsageLogResolver,
        UsageRecordingResolver,
        UsageSeriesResolver,
        UsageSummaryResolver,
      ],
      orphanedTypes: [Account, ExternalId, SandboxState],
      references: {
        ExternalId: ({ id }, context) => useOfExternalId(context, id),
        SandboxState: (_, context) =>
          countSandboxUse(context.database, requireAccount(context).accountId),
      },
    }),
}
