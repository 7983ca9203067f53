import { type Caller, serviceCaller } from '../../../schema/credentials/caller.ts'
import { account } from '../../../subgraphs/account/index.ts'
import type { AccountSettings } from '../../../subgraphs/account/settings/account-settings.ts'
import { keys } from '../../../subgraphs/keys/index.ts'
import { oauth } from '../../../subgraphs/oauth/index.ts'
import type { OAuthSettings } from '../../../subgraphs/oauth/settings/oauth-settings.ts'
import type { Subgraph } from '../../../subgraphs/shared/graph/subgraph.ts'
import { usage } from '../../../subgraphs/usage/index.ts'
import type { UsageSettings } from '../../../subgraphs/usage/settings/usage-settings.ts'

/**
 * The settings of all subgraphs together; the list below accepts no subgraph that needs further
 * ones.
 */
export type AllSettings = AccountSettings & OAuthSettings & UsageSettings

export const subgraphs: readonly Subgraph<AllSettings>[] = [account, keys, oauth, usage]

/** The gateway itself calls, for no account and no request. */
export const workerCaller: Caller = serviceCaller()
