import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { batched, type Placed } from '../../shared/database/batched.ts'
import type { Statement } from '../../shared/database/database.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { entriesInNoSum } from '../recording/usage-epoch.service.ts'
import type { ExternalId } from './external-id.type.ts'

const creditsOfMonth: Statement = {
  name: 'credits-of-external-ids',
  text: `
    WITH used AS (
      SELECT external_id, credits FROM usage.usage_key
      WHERE account_id = $1 AND environment = $2 AND unit = 'day' AND external_id <> ''
        AND external_id = ANY ($3::text[]) AND start >= date_trunc('month', now(), 'UTC')
      UNION ALL
      SELECT external_id, credits FROM ${entriesInNoSum}
        AND external_id = ANY ($3::text[]) AND ts >= date_trunc('month', now(), 'UTC')
    )
    SELECT i.place, sum(u.credits)::bigint AS credits
    FROM unnest($3::text[]) WITH ORDINALITY AS i (id, place) JOIN used u ON u.external_id = i.id
    GROUP BY i.place`,
}

interface Asked extends AccountScope {
  readonly id: string
}

/** A view of the database is of one account, and one request asks in one environment. */
const findCredits = batched<Asked, Placed & { readonly credits: number }>((database, asked) => {
  const [{ accountId, environment } = { accountId: '', environment: 'live' }] = asked
  return database.query(creditsOfMonth, [accountId, environment, asked.map(({ id }) => id)])
})

/** The credits that the calling account's keys with this external id have used this month. */
export async function useOfExternalId(context: GraphContext, id: string): Promise<ExternalId> {
  const { accountId, environment } = requireAccount(context)
  const found = await findCredits(context.database, { accountId, environment, id })
  return { id, creditsThisMonth: found?.credits ?? 0 }
}
