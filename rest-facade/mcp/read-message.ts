import type { Request } from 'express'
import {
  metaNames,
  modernVersion,
  olderVersions,
  type Params,
  RpcError,
  type RpcId,
  type RpcMessage,
  rpcCodes,
  supportedVersions,
} from './protocol.ts'

/**
 * The message in a parsed body. It is of the revision that its `_meta` names; a request without one is of an older
 * revision. Throws RpcError where body and headers do not belong together
 * (MCP 2026-07-28, Streamable HTTP, Server Validation).
 */
export function readMessage(req: Request): RpcMessage {
  const shape = shapeOf(req.body)
  const { id, method, params } = shape
  const version = versionOf(req, shape)
  const isModern = version === modernVersion
  if (isModern && id !== null) requireHeaders(req, shape)
  const isNotification = method.startsWith('notifications/')
  if (id === null && !isNotification) throw invalid('A request must have an id.', null)
  return { id, method, params, isModern }
}

type Shape = Omit<RpcMessage, 'isModern'>

/** The members that every message has. */
function shapeOf(body: unknown): Shape {
  if (Array.isArray(body))
    throw invalid('Send one message at a time: batches are not accepted.', null)
  if (!isObject(body)) throw invalid('The body must be a JSON-RPC message.', null)
  const { jsonrpc, id, method, params = {} } = body
  const readable = isId(id) ? id : null
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0".', readable)
  if (typeof method !== 'string') throw invalid('A message must have a method.', readable)
  if (id !== undefined && readable === null) throw invalid('id must be a text or an integer.', null)
  if (!isObject(params)) throw badParams('params must be an object.', readable)
  return { id: readable, method, params }
}

/** Refuses a message whose header and `_meta` name different revisions, or one that is not served. */
function versionOf(req: Request, { id, method, params }: Shape): string | undefined {
  const header = textOf(req, 'mcp-protocol-version')
  const { _meta: meta } = params
  const claimed = isObject(meta) ? meta[metaNames.version] : undefined
  if (claimed === undefined) {
    const named = header ?? olderVersions[0]
    if (!supportedVersions.includes(named)) throw unsupported(named, id)
    if (named !== modernVersion || id === null) return named
    if (method === 'initialize') {
      throw mismatch('initialize belongs to older revisions than MCP-Protocol-Version names', id)
    }
    throw badParams(`params._meta must have ${metaNames.version}.`, id)
  }
  if (typeof claimed !== 'string') throw badParams(`${metaNames.version} must be a text.`, id)
  const isCapable = isObject(meta) && isObject(meta[metaNames.clientCapabilities])
  if (id !== null && claimed === modernVersion && !isCapable) {
    throw badParams(`params._meta must have ${metaNames.clientCapabilities}, an object.`, id)
  }
  if (header !== undefined && header !== claimed) {
    throw mismatch(differing('MCP-Protocol-Version', header, claimed), id)
  }
  if (!supportedVersions.includes(claimed)) throw unsupported(claimed, id)
  return claimed
}

/** The headers repeat parts of the body, so that proxies need not read it. */
function requireHeaders(req: Request, { id, method, params }: Shape): void {
  const version = textOf(req, 'mcp-protocol-version')
  if (version === undefined) throw mismatch('MCP-Protocol-Version is missing', id)
  const named = textOf(req, 'mcp-method')
  if (named === undefined) throw mismatch('Mcp-Method is missing', id)
  if (named !== method) throw mismatch(differing('Mcp-Method', named, method), id)
  const { name } = params
  if (method !== 'tools/call' || typeof name !== 'string') return
  const header = textOf(req, 'mcp-name')
  if (header === undefined) throw mismatch('Mcp-Name is missing', id)
  const decoded = decodeName(header)
  if (decoded === null) throw mismatch('Mcp-Name is not Base64 of UTF-8', id)
  if (decoded !== name) throw mismatch(differing('Mcp-Name', decoded, name), id)
}

/** The tool that a header names; undefined without one. A body may name another one. */
export function toolInHeader(req: Request): string | undefined {
  const header = textOf(req, 'mcp-name')
  return header === undefined ? undefined : (decodeName(header) ?? undefined)
}

const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/

/** What cannot stand in a header is in Base64, between two marks. */
function decodeName(header: string): string | null {
  const [, base64] = encoded.exec(header) ?? []
  if (base64 === undefined) return header.startsWith('=?base64?') ? null : header
  const bytes = Buffer.from(base64, 'base64')
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? text : null
}

function textOf({ headers }: Request, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : undefined
}

function isId(value: unknown): value is RpcId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

export function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(message: string, id: RpcId | null): RpcError {
  return new RpcError(rpcCodes.invalidRequest, message, id)
}

export function badParams(message: string, id: RpcId | null): RpcError {
  return new RpcError(rpcCodes.invalidParams, message, id)
}

function mismatch(what: string, id: RpcId | null): RpcError {
  return new RpcError(rpcCodes.headerMismatch, `Header mismatch: ${what}.`, id)
}

function differing(header: string, named: string, inBody: string): string {
  return `${header} names ${cut(named)}, and the body ${cut(inBody)}`
}

const maxRepeated = 200

/** What a message of a client is told of itself: a body may be long. */
export function cut(text: string): string {
  return text.slice(0, maxRepeated)
}

function unsupported(requested: string, id: RpcId | null): RpcError {
  const data = { supported: supportedVersions, requested: cut(requested) }
  return new RpcError(rpcCodes.unsupportedVersion, 'Unsupported protocol version', id, data)
}
