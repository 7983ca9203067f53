import type { Request, RequestHandler, Response } from 'express'
import { callerOf, callOf } from '../http/call.ts'
import { send } from '../http/respond.ts'
import { type ToolOptions, toolCaller } from './call-tool.ts'
import {
  metaNames,
  olderVersions,
  RpcError,
  type RpcMessage,
  rpcCodes,
  supportedVersions,
} from './protocol.ts'
import { badParams, cut, readMessage } from './read-message.ts'
import { sendMessage } from './send-message.ts'
import { serverInfo } from './tool-answering.ts'
import { listedFor } from './tools.ts'

const instructions = `Each tool is a metered operation of this gateway; its description says what it costs. \`quote\` tells a price beforehand, and \`max_credits\` limits what one call may cost. If an answer did not arrive, call again with the same arguments: within 60 seconds the first answer comes again, at no cost. For a new call with equal arguments, choose an \`idempotency_key\`. A tool that sends or publishes may have had its effect although the call failed with a time-out: choose an \`idempotency_key\` for each thing to be sent, and use it again when you call again.`

const capabilities = { tools: {} }
/** For how long clients may keep the list of tools, and what the server says of itself, in ms. */
const toolsTtlMs = 300_000
const discoverTtlMs = 3_600_000

/** Answers one message of either era. Throws RpcError. */
export function answerMessage(options: ToolOptions): RequestHandler {
  const callTool = toolCaller(options)
  const { authenticateAgain } = options

  /** The result of a message that calls no tool. */
  function resultOf({ id, method, params, isModern }: RpcMessage, res: Response): object {
    switch (isModern ? method : `older ${method}`) {
      case 'server/discover':
        return {
          ...{ supportedVersions, capabilities, instructions },
          ...{ ttlMs: discoverTtlMs, cacheScope: 'public' },
        }
      case 'older initialize':
        return {
          protocolVersion: negotiated(params.protocolVersion),
          ...{ capabilities, serverInfo, instructions },
        }
      case 'older ping':
        return {}
      case 'tools/list':
      case 'older tools/list':
        // The list has one page.
        if (params.cursor !== undefined) throw badParams('The cursor is not known.', id)
        return {
          tools: listedFor(callerOf(callOf(res)), options.all),
          ...{ ttlMs: toolsTtlMs, cacheScope: 'private' },
        }
      default:
        throw new RpcError(rpcCodes.methodNotFound, `Method not found: ${cut(method)}`, id)
    }
  }

  function answer(req: Request, res: Response, message: RpcMessage): void {
    if (message.id === null) send(res, 202, '')
    else sendResult(req, res, message, resultOf(message, res))
  }

  return function answerMessage(req, res, next) {
    const message = readMessage(req)
    const isCall = message.id !== null && message.method === 'tools/call'
    if (isCall) return callTool(message, { req, res, next })
    // The body may have been long on its way.
    return authenticateAgain(req, res, (error?: unknown) =>
      error ? next(error) : answer(req, res, message),
    )
  }
}

/** The revision of a session of an older client: its own, or the newest one. */
function negotiated(wanted: unknown): string {
  return olderVersions.find((one) => one === wanted) ?? olderVersions[0]
}

function sendResult(req: Request, res: Response, message: RpcMessage, result: object): void {
  const { id, isModern } = message
  const modern = { resultType: 'complete', _meta: { [metaNames.serverInfo]: serverInfo } }
  const whole = { ...(isModern && modern), ...result }
  sendMessage(req, res, 200, JSON.stringify({ jsonrpc: '2.0', id, result: whole }))
}
