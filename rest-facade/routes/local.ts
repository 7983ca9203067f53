import { z } from 'zod'
import { healthAnswer, healthQuery, lightHealthAnswer } from './health.ts'

/** A GET below /v1 that the facade answers by itself, to any caller. */
export interface LocalRoute {
  readonly operationId: 'getHealth' | 'getReadiness' | 'getOpenapi'
  readonly path: string
  readonly summary: string
  /** The summary in lists of all operations, where the reader has no context. */
  readonly listedAs?: string
  readonly description: string
  readonly query?: z.ZodObject
  readonly answer: z.ZodObject
  /** The name of the answer's schema in the documentation. */
  readonly answerName: string
  /** No limiter ever refuses the route (docs/contract.md §3). */
  readonly isNeverRefused?: boolean
  /** The answer has an entity tag: a caller who sends it gets 304 while nothing changed. */
  readonly hasTag?: boolean
  /** The specification does not list the route. */
  readonly isExtension?: boolean
}

/** The members that identify the document; the OpenAPI specification describes the others. */
const openapiAnswer = z
  .looseObject({
    openapi: z
      .string()
      .regex(/^3\.1\.[0-9]+$/)
      .describe('The version of OpenAPI.'),
    info: z.looseObject({}).describe('Title, version and description of this API.'),
    paths: z.looseObject({}).describe('Every operation, by path and method.'),
  })
  .describe('An OpenAPI 3.1 document.')

export const localRoutes: readonly LocalRoute[] = [
  {
    operationId: 'getHealth',
    path: '/health',
    summary: 'Whether the gateway lives',
    listedAs: 'Whether the gateway lives, and how the products are',
    description:
      'Returns 200 as long as the process lives, from its first moment on, and is never refused by a rate limit. With `backends=1` every service is asked too; what they answered is shared for a second.',
    query: healthQuery,
    answer: healthAnswer,
    answerName: 'Health',
    isNeverRefused: true,
  },
  {
    operationId: 'getReadiness',
    path: '/ready',
    summary: 'Whether the gateway can serve requests',
    description:
      'Returns 200 once the gateway can serve requests, and 503 while the process starts or stops and while something that it needs is unavailable. Never refused by a rate limit; no service is asked.',
    answer: lightHealthAnswer,
    answerName: 'Readiness',
    isNeverRefused: true,
  },
  {
    operationId: 'getOpenapi',
    path: '/openapi.json',
    summary: 'This document',
    listedAs: 'This API as OpenAPI 3.1',
    description:
      'Returns the OpenAPI document of this gateway, with its own addresses. Send `If-None-Match` to learn whether it is still the same.',
    query: z.strictObject({}),
    answer: openapiAnswer,
    answerName: 'OpenApiDocument',
    hasTag: true,
    isExtension: true,
  },
]
