/** The part of the package's types that the bench uses; the package comes without types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export interface Client {
    readonly clientId: string
  }

  interface Stored {
    /** Resolves to its id, or to the plaintext of a token. */
    save(): Promise<string>
  }

  interface Grant extends Stored {
    addOIDCScope(scope: string): void
  }

  type Members = Readonly<Record<string, unknown>>

  export default class Provider {
    constructor(issuer: string, configuration: Members)
    readonly Client: { find(clientId: string): Promise<Client | undefined> }
    readonly Grant: new (
      members: Members,
    ) => Grant
    readonly AccessToken: new (
      members: Members,
    ) => Stored
    readonly AuthorizationCode: new (
      members: Members,
    ) => Stored
    callback(): RequestListener
  }
}

declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  import type LRU from 'oidc-provider/lib/helpers/lru.js'

  export default class MemoryAdapter {
    constructor(model: string, storage: LRU)
  }
}

declare module 'oidc-provider/lib/helpers/lru.js' {
  export default class LRU {
    constructor(options: { readonly maxSize: number })
  }
}
