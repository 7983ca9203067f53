import { buildSubgraph } from '../shared/build-subgraph.ts'
import { requireAccount } from '../shared/context.ts'
import type { Subgraph } from '../shared/subgraph.ts'
import { AccountResolver, CreateAccountPayloadResolver } from './account.resolver.ts'
import { Account, CreateAccountPayload } from './account.type.ts'
import { ApiKeyEntity } from './api-key.entity.ts'
import { ApiKeyResolver } from './api-key.resolver.ts'
import { getApiKey } from './api-key.service.ts'
import { InternalTokenResolver } from './internal-token.resolver.ts'
import { ApiKeys0001 } from './migrations/0001-api-keys.ts'
import { IssueReference0002 } from './migrations/0002-issue-reference.ts'
import { TenantIsolation0003 } from './migrations/0003-tenant-isolation.ts'
import { InternalTokens0004 } from './migrations/0004-internal-tokens.ts'
import { DoneChanges0005 } from './migrations/0005-done-changes.ts'
import { SandboxResolver } from './sandbox.resolver.ts'
import { VerifiedKeyResolver } from './verified-key.resolver.ts'
import { verifyKeyById } from './verified-key.service.ts'

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
  ],
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        ApiKeyResolver,
        VerifiedKeyResolver,
        InternalTokenResolver,
        SandboxResolver,
        AccountResolver,
        CreateAccountPayloadResolver,
      ],
      orphanedTypes: [Account, CreateAccountPayload],
      references: {
        VerifiedKey: ({ id }, context) => verifyKeyById(context, id),
        ApiKey: ({ id }, context) =>
          context.database.transaction((tx) => getApiKey(tx, requireAccount(context), id)),
      },
    }),
}
