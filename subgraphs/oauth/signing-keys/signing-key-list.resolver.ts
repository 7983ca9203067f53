import { Authorized, Ctx, Query, Resolver } from 'type-graphql'
import type { Statement } from '../../shared/database/database.ts'
import type { GraphContext } from '../../shared/graph/context.ts'
import { KnownSigningKey } from './signing-key-list.type.ts'

/** Keys are removed some time after they have signed, so there are few. */
const newestKeys: Statement = {
  name: 'signing-keys-newest-first',
  text: `
    SELECT kid, 'openid' AS use, environment, created_at AS "createdAt", activate_at AS "activateAt",
      revoked_at AS "revokedAt" FROM oauth.signing_key
    UNION ALL
    SELECT kid, 'backends', environment, created_at, activate_at, revoked_at
    FROM oauth.backend_signing_key
    ORDER BY "createdAt" DESC, kid LIMIT 200`,
}

@Resolver()
export class SigningKeyListResolver {
  @Authorized('readonly')
  @Query(() => [KnownSigningKey], {
    description:
      'The keys that sign tokens, newest first, at most 200. They are shown without the keys themselves.',
  })
  signingKeys(@Ctx() { database }: GraphContext): Promise<KnownSigningKey[]> {
    return database.query<KnownSigningKey>(newestKeys, [])
  }
}
