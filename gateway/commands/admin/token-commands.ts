import { ApiError } from '../../../rest-facade/http/errors.ts'
import type { InternalRole } from '../../../schema/credentials/caller.ts'
import type { BodyOf } from '../../../schema/generated/operations.ts'
import type { Config } from '../../config/config.ts'
import { internalTokenKeyOf } from '../../config/internal-settings.ts'
import { mintInternalToken, recordOf } from '../../internal/internal-token.ts'
import { execute, type Output, print, withGraph } from './ask-database.ts'

const usualTtlSeconds = 3600

/** Prints a token once: the gateway stores only its id. */
export async function mintToken(
  config: Config,
  { json, role, ttl }: Output & { role: InternalRole; ttl?: number },
): Promise<void> {
  const maxTtl = config.INTERNAL_TOKEN_MAX_TTL
  if (ttl !== undefined && ttl > maxTtl) {
    const message = `--ttl must be at most ${maxTtl} seconds: INTERNAL_TOKEN_MAX_TTL says so.`
    throw new ApiError('INVALID_REQUEST', message)
  }
  const { token, expiresAt } = await withGraph(config, async (ask, gatewaySecret) => {
    const key = internalTokenKeyOf(gatewaySecret)
    const minted = await mintInternalToken(key, role, ttl ?? Math.min(usualTtlSeconds, maxTtl))
    await ask('RecordInternalToken', { input: recordOf(minted, role) })
    return minted
  })
  print({ token, expires_at: expiresAt }, { json })
}

type Tokens = BodyOf<'ListInternalTokens'>

/** Lists tokens that have not expired, newest first. */
export async function listTokens(config: Config, { json }: Output): Promise<void> {
  const rows = await withGraph(config, async (ask) => {
    const found: Tokens['nodes'][number][] = []
    let after: string | null = null
    do {
      const { nodes, pageInfo }: Tokens = await ask('ListInternalTokens', { first: 200, after })
      found.push(...nodes)
      after = pageInfo.hasNextPage ? pageInfo.endCursor : null
    } while (after !== null)
    return found
  })
  if (json) return print(rows, { json })
  for (const row of rows) print(row, {})
  print({ tokens: rows.length }, {})
}

export async function revokeToken(config: Config, id: string, output: Output): Promise<void> {
  print(await execute(config, 'RevokeInternalToken', { id }), output)
}
