import { ApiError } from '../../../rest-facade/http/errors.ts'
import type { InternalRole } from '../../../schema/credentials/caller.ts'
import type { Config } from '../../config/config.ts'
import { operatorBaseUrlOf } from '../../config/operator-settings.ts'
import { runningUrls } from '../../trial/demo/running-gateway.ts'
import { execute, type Output, print } from './ask-database.ts'

/** Prints a link that signs an operator in, once: the gateway stores only its hash. */
export async function linkOperator(
  config: Config,
  { json, name, role }: Output & { readonly name: string; readonly role: InternalRole },
): Promise<void> {
  const baseUrl = await addressOf(config)
  const { id, token, expires_at } = await execute(config, 'CreateOperatorLink', { name, role })
  print({ url: `${baseUrl}/operator#token=${token}`, id, expires_at }, { json })
}

/** Throws CONFLICT where a link would lead nowhere. */
async function addressOf(config: Config): Promise<string> {
  const { databases, DATA_DIR, INTERNAL_PORT } = config
  const running = databases.size === 0 ? await runningUrls(DATA_DIR) : null
  const port = running ? Number(new URL(running.internal).port) : INTERNAL_PORT
  const baseUrl = operatorBaseUrlOf(config, port)
  if (baseUrl !== null && new URL(baseUrl).port !== '0') return baseUrl
  throw new ApiError('CONFLICT', 'OPERATOR_BASE_URL must be set: the page of operators needs it.')
}

/** Ends an operator everywhere, at once; prints how many sessions and links have ended. */
export async function endOperator(
  config: Config,
  { json, name }: Output & { readonly name: string },
): Promise<void> {
  print(await execute(config, 'EndOperator', { name }), { json })
}
