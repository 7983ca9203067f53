import { buildSubgraph } from '../shared/graph/build-subgraph.ts'
import { requireAccount } from '../shared/graph/context.ts'
import { inProcessExecutor } from '../shared/graph/in-process.ts'
import type { Subgraph } from '../shared/graph/subgraph.ts'
import { baselineIn } from '../shared/migrating/baseline.ts'
import { AccountResolver, CreateAccountPayloadResolver } from './accounts/account.resolver.ts'
import { Account, CreateAccountPayload } from './accounts/account.type.ts'
import { AccountSearchResolver } from './accounts/account-search.resolver.ts'
import { ApiKeyEntity } from './api-keys/api-key.entity.ts'
import { ApiKeyResolver } from './api-keys/api-key.resolver.ts'
import { getApiKey } from './api-keys/api-key.service.ts'
import { KeyAttentionResolver } from './attention/attention.resolver.ts'
import { ExternalIdResolver } from './external-ids/external-id.resolver.ts'
import { InternalTokenResolver } from './internal-tokens/internal-token.resolver.ts'
import { OperatorResolver } from './operators/operator.resolver.ts'
import { SandboxResolver } from './sandbox/sandbox.resolver.ts'
import { CurrentSession, Session } from './sessions/session.type.ts'
import { nameKey } from './sessions/session-key.service.ts'
import { VerifiedKeyResolver } from './verification/verified-key.resolver.ts'
import { verifyKeyById } from './verification/verified-key.service.ts'

export { writeDemoKeys } from './api-keys/demo-keys.ts'

/** The keys subgraph: API keys, live and sandbox, and the sandbox's reset. */
export const keys: Subgraph = {
  name: 'keys',
  entities: [ApiKeyEntity],
  migrations: [baselineIn('keys/migrations')],
  jobs: ['RevokeKeysOfMember'],
  executor: inProcessExecutor,
  buildSchema: () =>
    buildSubgraph({
      resolvers: [
        AccountResolver,
        AccountSearchResolver,
        CreateAccountPayloadResolver,
        ApiKeyResolver,
        KeyAttentionResolver,
        ExternalIdResolver,
        InternalTokenResolver,
        OperatorResolver,
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
