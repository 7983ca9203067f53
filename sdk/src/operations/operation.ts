/** One row of the generated table: the parts of a request. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path, with `{name}` for each parameter. */
  readonly path: string
  /** Names of the query's parameters. */
  readonly query?: readonly string[]
  /** The format of the rest of the input. */
  readonly body?: 'json' | 'form'
  /** The header of the idempotency key. */
  readonly idempotencyHeader?: string
  /** Whether the credential is left out. */
  readonly isPublic?: true
}

/** The options of one call besides its input. */
export interface CallOptions {
  /**
   * The key of an earlier call that is repeated. By default each call gets a new key, if the
   * operation takes one.
   */
  readonly idempotencyKey?: string
  /**
   * Which of your own users you call for: the usage log keeps it. 1 to 128 visible characters of ASCII,
   * without spaces.
   */
  readonly endUser?: string
  readonly signal?: AbortSignal
  /** The time limit of each attempt. */
  readonly timeoutMs?: number
  readonly maxRetries?: number
  /** Added to the headers of the client, or replacing them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The price of a call, and the remaining credits. */
export interface Credits {
  readonly charged: number
  readonly remaining: number
}

/** The account's limit in the second of the answer. */
export interface RateLimit {
  readonly limitRps: number
  readonly remaining: number
  readonly resetAt: Date
}

/** The result of a successful call. */
export interface Answer<Body> {
  readonly data: Body
  readonly status: number
  /** Equal to `request_id` in the usage log. */
  readonly requestId: string | null
  /** The price of the call; null unless the operation is metered. */
  readonly credits: Credits | null
  readonly rateLimit: RateLimit | null
  /** The answer of an earlier request with the same idempotency key. */
  readonly isReplay: boolean
  readonly idempotencyKey: string | null
  /** The number of attempts. */
  readonly tries: number
  readonly headers: Headers
}

type Simplify<T> = T extends unknown ? { [Name in keyof T]: T[Name] } : never

type Part<Data, Name extends string> = Data extends { [Key in Name]?: infer Value }
  ? [NonNullable<Value>] extends [never]
    ? unknown
    : NonNullable<Value>
  : unknown

/** Path parameters, query parameters and body members, side by side: their names never clash. */
export type Input<Data> = Simplify<Part<Data, 'path'> & Part<Data, 'query'> & Part<Data, 'body'>>

type Args<In> =
  Partial<In> extends In ? [input?: In, options?: CallOptions] : [input: In, options?: CallOptions]

/**
 * Calls one operation; throws a GatewayError, an OAuthError, a ConnectionError or a TimeoutError.
 */
export type Call<Data, Responses> = (
  ...args: Args<Input<Data>>
) => Promise<Answer<Responses[keyof Responses]>>

type ItemOf<Body> = Body extends { items: ReadonlyArray<infer Item> } ? Item : never

/** Answers one page when called. */
export interface ListCall<Data, Responses> extends Call<Data, Responses> {
  /**
   * Yields the items of all pages, which are requested one after the other with the same filters.
   */
  readonly iterate: (
    ...args: Args<Input<Data>>
  ) => AsyncGenerator<ItemOf<Responses[keyof Responses]>, void>
}

/** Makes an operation callable; its types come from the same document as its row. */
export interface Binder {
  readonly call: <Data, Responses>(operation: Operation) => Call<Data, Responses>
  readonly list: <Data, Responses>(operation: Operation) => ListCall<Data, Responses>
}
