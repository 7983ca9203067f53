import { ApiError } from '../../../rest-facade/http/errors.ts'
import { type Environment, environmentNames } from '../../../schema/credentials/caller.ts'
import type { PersonRole } from '../../../schema/vocabulary/roles.ts'
import type { Config } from '../../config/config.ts'
import { type Act, execute, gatewayAddresses, print, toldOf } from './ask-database.ts'

interface PortalLinkOptions extends Omit<Act, 'reason'> {
  readonly reason: string | undefined
  readonly account: string
  readonly role: PersonRole
  readonly environment: Environment
  readonly actor: string
  readonly returnUrl?: string
}

/** Throws CONFLICT where a link would lead nowhere, because only the running gateway knows its port. */
export async function requireKnownPort(config: Config, environment: Environment): Promise<void> {
  const { baseUrls } = await gatewayAddresses(config)
  if (new URL(baseUrls[environment]).port !== '0') return
  const name = environment === 'live' ? 'BASE_URL' : 'SANDBOX_BASE_URL'
  throw new ApiError('CONFLICT', `${name} must be set: the gateway chose a free port.`)
}

/** Prints a link that signs a person in to the console, once. */
export async function linkPortal(
  config: Config,
  { json, account: accountId, environment, role, actor, returnUrl, ...act }: PortalLinkOptions,
): Promise<void> {
  await requireKnownPort(config, environment)
  const asked = { accountId, environment: environmentNames[environment], role, actor, returnUrl }
  const input = { ...asked, ...toldOf(act) }
  print(await execute(config, 'CreatePortalLink', { input }, act.by), { json })
}
