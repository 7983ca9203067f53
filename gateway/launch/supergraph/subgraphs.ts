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
 * The settings of all subgraphs together. The list of subgraphs below accepts none that needs
 * further settings.
 */
export type AllSettings = AccountSettings & OAuthSettings & UsageSettings

export const subgraphs: readonly Subgraph<AllSettings>[] = [account, keys, oauth, usage]

/** The caller for work of the gateway itself, which belongs to no account and no request. */
export const workerCaller: Caller = serviceCaller()
