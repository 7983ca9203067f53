/** The revision of the protocol in which each request stands alone. */
export const modernVersion = '2026-07-28'

/** Older revisions that are served too, newest first: their clients begin with `initialize`. */
export const olderVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const

/** Every revision that is served, newest first. */
export const supportedVersions: readonly string[] = [modernVersion, ...olderVersions]

/** Codes of JSON-RPC 2.0 and of the protocol. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const

/** Members of `_meta` that the protocol names. */
export const metaNames = {
  version: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const

export type RpcId = string | number
export type Params = Readonly<Record<string, unknown>>

/** One message of a client, as it was read. Null: a notification, which gets no answer. */
export interface RpcMessage {
  readonly id: RpcId | null
  readonly method: string
  readonly params: Params
  /** Whether it is of the revision in which each request stands alone. */
  readonly isModern: boolean
}

/** A refusal of the protocol itself: it is no failure of a tool. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: object | undefined
  /** Of the request, if it could be read. */
  readonly id: RpcId | null

  constructor(code: number, message: string, id: RpcId | null, data?: object) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.id = id
    this.data = data
  }

  get status(): 400 | 404 {
    return this.code === rpcCodes.methodNotFound ? 404 : 400
  }
}
