/** The part of the package's types that the bench and the tests use; the package comes without types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

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

  /** What a person is asked on their way through the issuer. */
  interface Interaction {
    readonly prompt: { readonly name: string }
    readonly params: Readonly<Record<string, string>>
    readonly session?: { readonly accountId: string }
    readonly grantId?: string
  }

  /** A request and its answer. */
  export interface KoaContext {
    readonly path: string
    readonly method: string
    status: number
    body: unknown
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
    use(middleware: (context: KoaContext, next: () => Promise<void>) => Promise<void>): this
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>
    interactionFinished(req: IncomingMessage, res: ServerResponse, result: Members): Promise<void>
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
