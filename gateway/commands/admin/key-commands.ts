import { z } from 'zod'
import { budgetTexts } from '../../../rest-facade/http/fields/budgets.ts'
import type { Config } from '../../config/config.ts'
import { execute, type Output, print } from './ask-database.ts'

interface CreateKeyOptions extends Output {
  readonly account: string
  readonly name: string
  readonly environment: 'live' | 'sandbox'
  readonly scopes?: string[]
  readonly ipAllowlist?: string[]
  readonly expiresAt?: string
  readonly externalId?: string
  readonly budgets: readonly object[]
}

/** The budgets of texts such as `day:500`, and the mistakes in invalid texts. */
export function parseBudgets(texts: readonly string[]) {
  const parsed = budgetTexts.safeParse(texts.join(','))
  return {
    budgets: (parsed.data ?? []).map((budget) => ({
      ...budget,
      period: budget.period.toUpperCase(),
    })),
    problems: parsed.error?.issues.map(({ message }) => message) ?? [],
  }
}

const createdKey = z.object({ apiKey: z.object({ id: z.string() }), plaintext: z.string() })

export async function createKey(
  config: Config,
  { json, account: accountId, environment, ...rest }: CreateKeyOptions,
): Promise<void> {
  const { name, scopes, ipAllowlist, expiresAt, externalId, budgets } = rest
  const input = {
    accountId,
    environment: environment.toUpperCase(),
    name,
    scopes,
    ipAllowlist,
    expiresAt,
    externalId,
    budgets,
  }
  const created = createdKey.parse(await execute(config, 'CreateApiKey', { input }))
  print({ key_id: created.apiKey.id, plaintext: created.plaintext }, { json })
}

export async function revokeKey(config: Config, id: string, output: Output): Promise<void> {
  print(Object(await execute(config, 'RevokeApiKey', { id })), output)
}
