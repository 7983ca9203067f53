import { buildSubgraph } from '../shared/build-subgraph.ts'
import type { Subgraph } from '../shared/subgraph.ts'
import { DiscoveryResolver } from './discovery.resolver.ts'
import { SigningKeys0001 } from './migrations/0001-signing-keys.ts'
import { SigningKeyEntity } from './signing-key.entity.ts'

/** The oauth subgraph: signing keys, JWKS and discovery. */
export const oauth: Subgraph = {
  name: 'oauth',
  entities: [SigningKeyEntity],
  migrations: [SigningKeys0001],
  buildSchema: () => buildSubgraph({ resolvers: [DiscoveryResolver] }),
}
