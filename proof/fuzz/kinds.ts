import fc from 'fast-check'
import type { Answer, CheckAnswer } from '../../test/support/conformity/answers-conform.ts'
import type { ApiOperation } from '../../test/support/conformity/api-document.ts'
import { applyBreak, type Break, breaksOf } from './breaking.ts'
import {
  type Hostility,
  hostilities,
  makeHostile,
  readAnswer,
  requestLineOf,
  sendBytes,
} from './hostile.ts'
import { judgeInvalid, judgeValid } from './judge.ts'
import { type FindBroken, ignoresUnknown } from './oracle.ts'
import type { FuzzRequest } from './requests.ts'
import type { WireRequest, World } from './world.ts'

/**
 * In this order: invalid requests come last, because they must not change the state left by the
 * others.
 */
export const fuzzKinds = ['valid', 'hostile', 'invalid'] as const
export type FuzzKind = (typeof fuzzKinds)[number]

/** Whether there are cases of this kind: not every operation can be asked wrongly. */
export function isFuzzed(operation: ApiOperation, kind: string): boolean {
  if (!fuzzKinds.some((one) => one === kind)) return false
  return kind !== 'invalid' || isBreakable(operation)
}

/** A case as data, its bytes on the wire, and the mistakes of its answer. */
export interface Kind<Case> {
  readonly cases: fc.Arbitrary<Case>
  readonly wire: (value: Case) => WireRequest
  /** Null: nothing came back, which some bytes deserve. */
  readonly ask: (value: Case, wire: WireRequest) => Promise<Answer | null>
  readonly judge: (value: Case, answer: Answer) => readonly string[]
}

export interface KindOptions {
  readonly world: World
  readonly check: CheckAnswer
  readonly operation: ApiOperation
  /** Requests that the document allows; made once for all kinds. */
  readonly requests: fc.Arbitrary<FuzzRequest>
  readonly findBroken: FindBroken
}

/** Requests that the document allows, odd texts and numbers included. */
export function validKind({ world, check, operation, requests, findBroken }: KindOptions) {
  const odd = changed(operation, requests, fc.array(breaksOf(operation), { maxLength: 2 }))
  const kind: Kind<FuzzRequest> = {
    cases: fc.oneof(requests, odd).filter((request) => findBroken(request).length === 0),
    wire: (request) => world.prepare(operation, request),
    ask: (_, wire) => world.send(wire),
    judge: (request, answer) => judgeValid(check, request, answer),
  }
  return kind
}

/** Requests with one to three changes, at least one of which breaks a field. */
export function invalidKind({ world, check, operation, requests, findBroken }: KindOptions) {
  const changes = fc.array(breaksOf(operation), { minLength: 1, maxLength: 3 })
  const kind: Kind<FuzzRequest> = {
    cases: changed(operation, requests, changes).filter(
      (request) => findBroken(request).length > 0,
    ),
    wire: (request) => world.prepare(operation, request),
    ask: (_, wire) => world.send(wire),
    judge: (request, answer) => judgeInvalid(check, findBroken(request), answer),
  }
  return kind
}

/** Headers, methods, paths and bytes that no client of this API would send. */
export function hostileKind({ world, check, operation, requests, findBroken }: KindOptions) {
  const kind: Kind<readonly [FuzzRequest, Hostility]> = {
    cases: fc.tuple(
      requests.filter((request) => findBroken(request).length === 0),
      hostilities,
    ),
    wire: ([request, hostility]) => makeHostile(world.prepare(operation, request), hostility),
    async ask([, hostility], wire) {
      if (hostility.kind !== 'bytes') return world.send(wire)
      const text = await sendBytes(world.origin(wire.environment), operation, hostility)
      return readAnswer(text, requestLineOf(operation, hostility))
    },
    judge: ([request], answer) => judgeValid(check, request, answer),
  }
  return kind
}

/** Some operations accept any input, and others depend on a signature. */
function isBreakable(operation: ApiOperation): boolean {
  const { parameters, requestBody, method, path, responses } = operation
  // Pages refuse nothing: what they do not know, they do not read.
  if (!responses.has(422)) return false
  if (path.startsWith('/v1/billing/notifications/') || path.endsWith('/result')) return false
  // Its refusals have the status and the body of RFC 7591.
  if (path === '/v1/oauth/register') return false
  // No key covers these, and a missing scope is refused first; or a page must ask, which is looked at first.
  if (method !== 'GET' && /^\/v1\/account\/(members(\/\{|\/me\/passkeys|$)|sign-in$)/.test(path))
    return false
  if (/^\/v1\/account\/sessions\/(passkey|mail)/.test(path)) return false
  const isRead = parameters.some((one) => one.in === 'path' || one.in === 'query')
  return isRead || requestBody?.required === true || !ignoresUnknown(operation)
}

function changed(
  operation: ApiOperation,
  requests: fc.Arbitrary<FuzzRequest>,
  changes: fc.Arbitrary<readonly Break[]>,
): fc.Arbitrary<FuzzRequest> {
  return fc
    .tuple(requests, changes)
    .map(([request, all]) => all.reduce((sum, one) => applyBreak(operation, sum, one), request))
}
