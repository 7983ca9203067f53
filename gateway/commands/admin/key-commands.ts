import { budgetTexts, toNamed } from '../../../rest-facade/http/fields/budgets.ts'
import { type Environment, environmentNames } from '../../../schema/credentials/caller.ts'
import type { BudgetNameInput } from '../../../schema/generated/operations.ts'
import type { Config } from '../../config/config.ts'
import { type Act, execute, type Output, print, toldOf } from './ask-database.ts'

interface CreateKeyOptions extends Output, Pick<Act, 'by'> {
  readonly account: string
  readonly name: string
  readonly environment: Environment
  readonly scopes?: string[]
  readonly ipAllowlist?: string[]
  readonly expiresAt?: string
  readonly externalId?: string
  readonly budgets: readonly BudgetNameInput[]
}

/** The budgets of texts such as `day:500`, and the mistakes in invalid texts. */
export function parseBudgets(texts: readonly string[]) {
  const parsed = budgetTexts.safeParse(texts.join(','))
  return {
    budgets: (parsed.data ?? []).map(toNamed),
    problems: parsed.error?.issues.map(({ message }) => message) ?? [],
  }
}

export async function createKey(
  config: Config,
  { json, by, account: accountId, environment, ...rest }: CreateKeyOptions,
): Promise<void> {
  const { name, scopes, ipAllowlist, expiresAt, externalId, budgets } = rest
  const input = {
    accountId,
    environment: environmentNames[environment],
    name,
    scopes,
    ipAllowlist,
    expiresAt,
    externalId,
    budgets,
  }
  const created = await execute(config, 'CreateApiKey', { input }, by)
  print({ key_id: created.apiKey.id, plaintext: created.plaintext }, { json })
}

/** Revokes a key for a reason, and prints its status of before. */
export async function revokeKey(config: Config, id: string, { json, ...act }: Act): Promise<void> {
  print(await execute(config, 'RevokeApiKey', { id, ...toldOf(act) }, act.by), { json })
}
