import type { AccountScope } from '../../../schema/credentials/account-scope.ts'
import { makeChange } from '../../shared/changes/change.ts'
import type { Database, Statement } from '../../shared/database/database.ts'
import { type GraphContext, requireAccount } from '../../shared/graph/context.ts'
import { DomainError } from '../../shared/graph/errors.ts'
import type { AgentSettings } from './agent.type.ts'

const readSetting: Statement = {
  name: 'agent-setting',
  text: `SELECT allow_unverified_apps AS "allowUnverifiedApps" FROM oauth.agent_setting
    WHERE account_id = $1 AND environment = $2`,
}

/** What the account permits agents; by default, apps that nobody has verified may ask for approval. */
export async function findAgentSettings(
  database: Database,
  { accountId, environment }: AccountScope,
): Promise<AgentSettings> {
  const [found] = await database.query<AgentSettings>(readSetting, [accountId, environment])
  return found ?? { allowUnverifiedApps: true }
}

const writeSetting: Statement = {
  name: 'change-agent-setting',
  text: `
    INSERT INTO oauth.agent_setting (account_id, environment, allow_unverified_apps)
    VALUES ($1, $2, $3)
    ON CONFLICT (account_id, environment) DO UPDATE
      SET allow_unverified_apps = excluded.allow_unverified_apps`,
}

/**
 * Changes what the caller's account permits agents. Apps that it has approved before stay approved. Throws FORBIDDEN for
 * a person who is no OWNER: only an OWNER approves apps.
 */
export async function changeAgentSettings(
  context: GraphContext,
  allowUnverifiedApps: boolean,
): Promise<AgentSettings> {
  const { accountId, environment, session } = requireAccount(context)
  const role = session?.role ?? null
  if (role !== null && role !== 'OWNER') {
    throw new DomainError('FORBIDDEN', 'Only an OWNER decides which apps may ask for access.')
  }
  const change = {
    owner: { accountId, environment },
    action: 'agents.update',
    resourceId: accountId,
    note: () => ({ details: { allow_unverified_apps: allowUnverifiedApps } }),
  }
  return makeChange(context, change, async (tx) => {
    await tx.query(writeSetting, [accountId, environment, allowUnverifiedApps])
    return { allowUnverifiedApps }
  })
}
