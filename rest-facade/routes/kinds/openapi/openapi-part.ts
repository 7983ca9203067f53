import type { z } from 'zod'
import type { ErrorCode, OAuthErrorCode } from '../../../../schema/vocabulary/error-codes.ts'

/** The ways to authenticate, by their names in the OpenAPI document. */
type SecurityScheme = 'ApiKeyBearer' | 'OAuth2' | 'ClientSecretBasic' | 'SessionCookie'

/** The schemes that one request needs together, with the scopes of each. */
export type SecurityRequirement = Readonly<Partial<Record<SecurityScheme, readonly string[]>>>

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * The part of the OpenAPI document that follows from the kind of a route. It is data, because the
 * generator (tools/openapi) is no part of the facade. All else follows from the row and from
 * its operation.
 */
export interface OpenapiPart {
  /** Alternatives; an empty one means that an anonymous caller may call. */
  readonly security: readonly SecurityRequirement[]
  /** Paragraphs behind the description. */
  readonly notes?: readonly string[]
  /** Members `x-…`. */
  readonly extensions?: Readonly<Record<`x-${string}`, string | undefined>>
  /** Headers of the request. */
  readonly headers?: readonly RequestHeader[]
  readonly requestBody?: RequestBody
  readonly success: Success
  /** A browser that prefers pages is sent on: the headers of this answer. */
  readonly redirect?: readonly string[]
  /** A browser gets its refusals as a page. */
  readonly refusesWithPage?: boolean
  /** The 422 may tell an app how to go on (docs/oauth-rules.md §2). */
  readonly isAuthorization?: boolean
  /** Refusals besides those of every route and those that follow from path, query and body. */
  readonly refusals?: readonly ErrorCode[]
  /** What is wrong with the input is a protocol error, and no INVALID_REQUEST. */
  readonly hasOwnInputErrors?: boolean
  /** Protocol errors (RFC 6749 §5.2). */
  readonly oauthErrors?: readonly OAuthErrorCode[]
}

interface RequestHeader {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
}

export interface RequestBody {
  /** Without these two, they follow from the row's schema of the body. */
  readonly description?: string
  readonly required?: boolean
  /**
   * JSON's null means no body. Only the description says so: generators of clients lose a body that is an
   * object or null.
   */
  readonly takesNull?: boolean
  /** The forms of the body, by media type. */
  readonly content: Readonly<Record<string, BodyMedia>>
}

interface BodyMedia {
  /** The schema; without one, that of the row. */
  readonly schema?: JsonSchema
  /** Members that the steps read beside those of the row's schema. */
  readonly moreMembers?: Readonly<Record<string, JsonSchema>>
  /** The example; without one, that of schema/generated/examples.json. */
  readonly example?: JsonSchema
}

interface Success {
  /** Headers that the answer surely has. */
  readonly headers?: readonly string[]
  /** How a body in JSON follows from the operation; absent: the body is no JSON. */
  readonly json?: JsonAnswer
  /** Media types of the body that are text. */
  readonly texts?: readonly string[]
  /** Media types of the body that are bytes. */
  readonly binaries?: readonly string[]
}

interface JsonAnswer {
  /** The body, where it is not what the operation selects. */
  readonly schema?: z.ZodObject
  /** Members that are null are left out: all, or those of these names. */
  readonly leavesOutNull?: boolean | readonly string[]
  /** Members of the result that the body lacks. */
  readonly withheld?: readonly string[]
}

export const formType = 'application/x-www-form-urlencoded'
