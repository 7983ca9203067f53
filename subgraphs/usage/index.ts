import { buildSubgraph } from '../shared/graph/build-subgraph.ts'
import { requireAccount } from '../shared/graph/context.ts'
import { inProcessExecutor } from '../shared/graph/in-process.ts'
import type { Subgraph } from '../shared/graph/subgraph.ts'
import { baselineIn } from '../shared/migrating/baseline.ts'
import { Account } from './accounts/account.type.ts'
import { AnonymousFailuresResolver } from './anonymous-failures/anonymous-failures.resolver.ts'
import { AuditChainVerificationResolver } from './audit-trail/audit-chain-verification.resolver.ts'
import { AuditEventResolver } from './audit-trail/audit-event.resolver.ts'
import { AuditHeadResolver } from './audit-trail/audit-head.resolver.ts'
import { AuditExportResolver } from './exports/audit-export.resolver.ts'
import { runJob, watchJob } from './exports/audit-export-queue.service.ts'
import { useOfExternalId } from './external-ids/external-id.service.ts'
import { ExternalId } from './external-ids/external-id.type.ts'
import { ForecastResolver } from './forecast/forecast.resolver.ts'
import { AccountUsageResolver } from './log/account-usage.resolver.ts'
import { EntryMessageResolver, GroupMessageResolver } from './log/error-message.resolver.ts'
import { LoggedChargesResolver } from './log/logged-charges.resolver.ts'
import { UsageErrorsResolver } from './log/usage-errors.resolver.ts'
import { UsageLogResolver } from './log/usage-log.resolver.ts'
import { UsageRecordingResolver } from './recording/usage-recording.resolver.ts'
import { AppSpendingResolver } from './series/app-spending.resolver.ts'
import { UsageSeriesResolver } from './series/usage-series.resolver.ts'
import type { UsageSettings } from './settings/usage-settings.ts'
import { AccountActivityResolver } from './summaries/account-activity.resolver.ts'
import { UsageSummaryResolver } from './summaries/usage-summary.resolver.ts'
import { countSandboxUse } from './summaries/usage-summary.service.ts'
import { SandboxState } from './summaries/usage-summary.type.ts'
import { UsageAuditResolver } from './summaries/usage-verification.resolver.ts'

export { recordAuditEvents } from './audit-trail/audit-event.service.ts'
export { AuditActorKind } from './audit-trail/audit-event.type.ts'
export { recordUsage } from './log/usage-log.service.ts'

/** The usage subgraph: the log of every authenticated request, its hourly sums, and the audit trail. */
export const usage: Subgraph<UsageSettings> = {
  name: 'usage',
  entities: [],
  migrations: [baselineIn('usage/migrations')],
  jobs: ['KeepUsageLog'],
  longJobs: [runJob, watchJob, 'SettleLateEntries'],
  executor: inProcessExecutor,
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        AccountActivityResolver,
        AccountUsageResolver,
        AnonymousFailuresResolver,
        AppSpendingResolver,
        AuditChainVerificationResolver,
        AuditHeadResolver,
        AuditEventResolver,
        AuditExportResolver,
        EntryMessageResolver,
        ForecastResolver,
        GroupMessageResolver,
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
