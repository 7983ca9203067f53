import { addressesOf } from '../../config/addresses.ts'
import { startSimulator } from '../../trial/simulator/simulator.ts'
import type { Role } from './role.ts'

export const startSimulatorRole: Role = async ({ config, catalog, resources }) => {
  const { HOST: host, PORT: port, GATEWAY_JWKS_URL: jwksUrl, BASE_URL: issuer } = config
  if (jwksUrl === undefined) throw new Error('GATEWAY_JWKS_URL was not checked.')
  const simulator = await startSimulator(catalog, {
    ...{ host, port, keys: new URL(jwksUrl) },
    issuer: issuer && addressesOf(config).baseUrls.live,
  })
  resources.defer(() => simulator.close())
  return { urls: { modules: simulator.url } }
}
