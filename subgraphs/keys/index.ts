import { buildSubgraph } from '../shared/graph/build-subgraph.ts'
import { requireAccount } from '../shared/graph/context.ts'
import { inProcessExecutor } from '../shared/graph/in-process.ts'
import type { Subgraph } from '../shared/graph/subgraph.ts'
import { AccountResolver, CreateAccountPayloadResolver } from './accounts/account.resolver.ts'
import { Account, CreateAccountPayload } from './accounts/account.type.ts'
import { ApiKeyEntity } from './api-keys/api-key.entity.ts'
import { ApiKeyResolver } from './api-keys/api-key.resolver.ts'
import { getApiKey } from './api-keys/api-key.service.ts'
import { ExternalIdResolver } from './external-ids/external-id.resolver.ts'
import { InternalTokenResolver } from './internal-tokens/internal-token.resolver.ts'
import { ApiKeys0001 } from './migrations/0001-api-keys.ts'
import { IssueReference0002 } from './migrations/0002-issue-reference.ts'
import { TenantIsolation0003 } from './migrations/0003-tenant-isolation.ts'
import { InternalTokens0004 } from './migrations/0004-internal-tokens.ts'
import { DoneChanges0005 } from './migrations/0005-done-changes.ts'
import { SpendingKeys0006 } from './migrations/0006-spending-keys.ts'
import { DisabledBy0007 } from './migrations/0007-disabled-by.ts'
import { SandboxResolver } from './sandbox/sandbox.resolver.ts'
import { CurrentSession, Session } from './sessions/session.type.ts'
import { nameKey } from './sessions/session-key.service.ts'
import { VerifiedKeyResolver } from './verification/verified-key.resolver.ts'
import { verifyKeyById } from './verification/verified-key.service.ts'

/** The keys subgraph: API keys, live and sandbox, and the sandbox's reset. */
export const keys: Subgraph = {
  name: 'keys',
  entities: [ApiKeyEntity],
  migrations: [
    ApiKeys0001,
    IssueReference0002,
    TenantIsolation0003,
    InternalTokens0004,
    DoneChanges0005,
    SpendingKeys0006,
    DisabledBy0007,
  ],
  executor: inProcessExecutor,
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        AccountResolver,
        CreateAccountPayloadResolver,
        ApiKeyResolver,
        ExternalIdResolver,
        InternalTokenResolver,
        SandboxResolver,
        VerifiedKeyResolver,
      ],
      orphanedTypes: [Account, CreateAccountPayload, CurrentSession, Session],
      references: {
        VerifiedKey: ({ id }, context) => verifyKeyById(context, id),
        Session: (session, context) => nameKey(context, session),
        CurrentSession: (session, context) => nameKey(context, session),
        ApiKey: ({ id }, context) =>
          context.database.transaction((tx) => getApiKey(tx, requireAccount(context), id)),
      },
    }),
}
