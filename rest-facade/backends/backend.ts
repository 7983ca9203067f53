export interface BackendRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query below the module's URL. */
  readonly path: string
  /** Names and values of the headers in turn. */
  readonly headers: readonly string[]
  /**
   * Returns the headers that name the caller, names and values in turn. They are written when the request
   * leaves, because the request may have waited.
   */
  readonly callerHeaders: () => readonly string[]
  readonly body: string | Buffer | null
  /** Whether a second attempt could not have a second effect. */
  readonly isRepeatable: boolean
}

/** The answer of a backend module. */
export interface BackendAnswer {
  readonly status: number
  /** The names of headers are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The whole body in UTF-8: text, or the bytes of a large body, which take no room on the heap. */
  readonly body: string | Buffer
}

/**
 * The client for whom a call is made, which learns what came of it. It may leave; before the module was asked,
 * that ends the call. Its functions do not throw.
 */
export interface CallingClient {
  isGone(): boolean
  /** Calls the function when the client leaves. Returns a function that ends this watch. */
  onGone(leave: () => void): () => void
  /**
   * Called just before the module is asked: from then on the call is finished, even if the client
   * leaves.
   */
  dispatched(): void
  answered(answer: BackendAnswer): void
  /**
   * BACKEND_TIMEOUT after the deadline, BACKEND_ERROR when no whole answer came, and SERVICE_UNAVAILABLE while
   * the module has been failing or too many calls wait for it. ClientGone when the client has left before the
   * module was asked.
   */
  unanswered(error: unknown): void
}

/** A place of a call at a module. */
export interface ModulePlace {
  /** Asks the module, once, and tells the client. */
  send(request: BackendRequest, client: CallingClient): void
  /** Gives the place back; a second call does nothing. */
  leave(): void
}

/** One backend module. A failing module harms only its own callers. */
export interface Backend {
  readonly module: string
  /**
   * Takes a place for a call that is being prepared. Throws SERVICE_UNAVAILABLE if there is none for
   * this account: a call that would be refused later must not cost more work.
   */
  readonly enter: (accountId: string) => ModulePlace
  /**
   * Throws SERVICE_UNAVAILABLE when this account could not take a place; without an account, when
   * no account could.
   */
  readonly requirePlace: (accountId?: string) => void
  /** Whether calls of the module are being refused because it has been failing. */
  readonly isRefusing: () => boolean
  close(): Promise<void>
}
