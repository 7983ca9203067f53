import type { NextFunction, Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import type { AccountCaller } from '../../schema/credentials/caller.ts'
import { mcpScopes } from '../../schema/vocabulary/scopes.ts'
import { withUnreadable } from '../../schema/vocabulary/unreadable.ts'
import type { RefusedCallers } from '../callers/refused-callers.ts'
import { remainingHeaders } from '../charge/credit-headers.ts'
import type { MeteredService } from '../charge/run-metered.ts'
import type { Answering } from '../http/answering.ts'
import { type Call, callerOf, callOf } from '../http/call.ts'
import { ApiError, invalidRequest } from '../http/errors.ts'
import { endUserHeader, endUserRule, hasWrongEndUser } from '../http/fields/end-user.ts'
import { dropBody } from '../http/large-body.ts'
import type { AccountWork } from '../steps/account-work/account-work.ts'
import { limitWork } from '../steps/account-work/limit-work.ts'
import { createFailureLog } from '../steps/failure-log.ts'
import { productCaller, type ScopeRefusal, type ToolCall } from './call-product.ts'
import { challengeOf } from './challenge.ts'
import { type FreeToolName, freeToolRoutes } from './free-tool-routes.ts'
import type { Params, RpcMessage } from './protocol.ts'
import { badParams, cut, isObject } from './read-message.ts'
import { ToolAnswering } from './tool-answering.ts'
import { mayCall, type Tool } from './tools.ts'

/** A request of Express, and what takes its failures. */
interface Exchange {
  readonly req: Request
  readonly res: Response
  readonly next: NextFunction
}

/**
 * Names a call as its REST request, for the log; returns what makes it. Both throw what the caller is told.
 */
type PrepareTool = (asked: ToolCall, exchange: Exchange) => () => unknown

/** Runs a tool that is no product operation; returns its answer. Throws what the caller is told. */
export type CallFree = (call: Call, input: Params) => Promise<unknown>

/** What tools are run with. */
export interface ToolOptions {
  readonly all: readonly Tool[]
  /** How long an equal call waits for the first one, in ms. */
  readonly patienceMs: number
  readonly metered: MeteredService
  readonly callFree: Readonly<Record<FreeToolName, CallFree>>
  /** `{base_url}/v1` */
  readonly issuer: string
  readonly docsUrl: string
  /** The page of the console with the usage log; null: there is no console. */
  readonly logPage: string | null
  readonly log: Logger
  readonly trail: RefusedCallers
  readonly accountWork: AccountWork
  /** Comes after every wait: for the body, for a place, for an equal call. */
  readonly authenticateAgain: RequestHandler
}

/**
 * Answers `tools/call`. Failures are results, but for those that the client itself has to act on. Throws RpcError for
 * what is no call of a tool that is there.
 */
export function toolCaller(options: ToolOptions) {
  const { all, docsUrl, logPage, log } = options
  const preparing = preparersOf(options)
  const byName = new Map(all.map((tool) => [tool.listed.name, preparing(tool)]))
  const answeringOptions = { docsUrl, logPage, noteFailure: createFailureLog(log) }

  return function callTool(message: RpcMessage, exchange: Exchange): unknown {
    const { id, params } = message
    const { name, arguments: input = {} } = params
    if (typeof name !== 'string') throw badParams('params.name must be a text.', id)
    const prepare = byName.get(name)
    if (!prepare) throw badParams(`Unknown tool: ${cut(name)}`, id)
    if (!isObject(input)) throw badParams('params.arguments must be an object.', id)
    const { req, res } = exchange
    const answering = new ToolAnswering(exchange, message, answeringOptions)
    const authenticateAgain: ToolCall['authenticateAgain'] = (asking, goOn) =>
      goOnAfter(options.authenticateAgain, exchange, asking, goOn)
    try {
      const asked = { req, call: callOf(res), input, answering, authenticateAgain }
      const make = prepare(asked, exchange)
      requireReadable(req)
      return authenticateAgain(answering, make)
    } catch (error) {
      return answering.fail(error)
    }
  }
}

/**
 * Goes on after a step of HTTP. The message was read, so a failure of either is told to whoever asked, and not to the
 * steps of HTTP that follow.
 */
function goOnAfter(
  step: RequestHandler,
  { req, res }: Exchange,
  asking: Answering,
  goOn: () => unknown,
): unknown {
  const fail = (error: unknown) => asking.fail(error)
  try {
    const running = step(req, res, (error?: unknown) => (error ? fail(error) : goOn()))
    return running instanceof Promise ? running.catch(fail) : running
  } catch (error) {
    return fail(error)
  }
}

/** Refuses texts that are no Unicode, and an end user that the usage log cannot have. */
function requireReadable(req: Request): void {
  const problems = withUnreadable(req.body).map((problem) => ({
    ...problem,
    field: problem.field.replace(/^params\.(arguments\.)?/, ''),
  }))
  const ofHeader = { field: endUserHeader, in: 'header', message: endUserRule } as const
  if (hasWrongEndUser(req)) problems.push(ofHeader)
  if (problems.length > 0) throw invalidRequest(problems)
}

function preparersOf(options: ToolOptions): (tool: Tool) => PrepareTool {
  const { patienceMs, metered, callFree, trail, accountWork, authenticateAgain } = options
  const limit = limitWork(accountWork, authenticateAgain)

  return function preparerOf(tool) {
    const { runs } = tool
    const scopeRefusal = scopeRefusalOf(tool, options)
    const requireScope = (call: Call) => {
      const refusal = scopeRefusal(callerOf(call))
      if (!refusal) return
      trail.note(call, 'FORBIDDEN')
      throw refusal
    }
    if ('operation' in runs) {
      const prepareCall = productCaller(runs.operation, runs.service, {
        ...metered(runs.service),
        ...{ patienceMs, requireScope, scopeRefusal },
      })
      return (asked, { req, res }) => {
        const makeCall = prepareCall(asked)
        return () => {
          try {
            makeCall()
          } finally {
            // The module may take long: meanwhile nothing refers to the parsed body.
            dropBody(req, res)
          }
        }
      }
    }
    const { method, path, service, backendModule } = freeToolRoutes[runs.free]
    const names = { method: method.toUpperCase(), route: path, endpoint: path }
    const runFree = callFree[runs.free]
    return ({ call, input, answering }, exchange) => {
      Object.assign(call, { ...names, service, backendModule })
      return () => {
        requireScope(call)
        return goOnAfter(limit, exchange, answering, () =>
          runFree(call, input).then(
            (result) => answering.answer(200, JSON.stringify(result), creditsIn(result)),
            (failure: unknown) => answering.fail(failure),
          ),
        )
      }
    }
  }
}

/** What an answer about credits says about the caller's. */
function creditsIn(result: unknown) {
  const { available, budget_remaining: budgetRemaining = null } = Object(result)
  return typeof available === 'number' ? remainingHeaders({ available, budgetRemaining }) : {}
}

/** Whether a caller's scopes suffice for a tool: null, or the refusal with what to ask for. */
function scopeRefusalOf(tool: Tool, { issuer }: Pick<ToolOptions, 'issuer'>): ScopeRefusal {
  const [needed = ''] = tool.scopes
  const baseUrl = issuer.replace(/\/v1$/, '')
  return function scopeRefusal(caller: AccountCaller) {
    if (mayCall(caller, tool)) return null
    const who = caller.clientId === undefined ? 'This API key' : 'This access token'
    // A client that asks anew for these alone loses none that it has.
    const held = mcpScopes.filter((scope) => caller.scopes.includes(scope))
    const scopes = [...held, needed]
    const challenge = challengeOf({ baseUrl, error: 'insufficient_scope', scopes })
    return new ApiError('FORBIDDEN', `${who} lacks the scope ${needed}.`, {
      headers: { 'WWW-Authenticate': challenge },
      logged: { scope: needed },
    })
  }
}
