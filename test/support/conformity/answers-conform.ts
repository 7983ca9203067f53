import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { isId } from '../../../schema/vocabulary/ids.ts'
import type { ApiDocument, ApiResponse, ApiResponses } from './api-document.ts'

/** One answer, whole. */
export interface Answer {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly status: number
  /** By name in lower case; what came twice is joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** All differences between an answer and the document; none if it conforms. */
export type CheckAnswer = (answer: Answer, options?: CheckOptions) => readonly string[]

export interface CheckOptions {
  /** Bodies of product operations come from a stub backend and do not follow the catalog. */
  readonly hasStubs?: boolean
}

interface Documented {
  readonly responses: ApiResponses
  /** Whose they are. */
  readonly name: string
  readonly isStub?: boolean
}

/**
 * Compiles the schemas of an operation at its first answer. `hasPage` tells whether the
 * documentation has a page of that name, such as `errors/NOT_FOUND`; without it every link is
 * accepted.
 */
export function createAnswerCheck(
  document: ApiDocument,
  hasPage: (name: string) => boolean = () => true,
): CheckAnswer {
  const bodies = bodyValidators(document)
  const headerValue = headerValidators(document)

  function checkDocumented(
    { responses, name, isStub = false }: Documented,
    answer: Answer,
  ): readonly string[] {
    const documented = responses.get(answer.status) ?? (isStub ? successOf(responses) : undefined)
    if (!documented) return [`status ${answer.status} is not documented for ${name}`]
    const problems = Object.entries(documented.headers).flatMap(([name, { required, schema }]) => {
      const value = answer.headers[name.toLowerCase()]
      if (value === undefined) return required ? [`header ${name} is missing`] : []
      return headerValue(schema, value).map((problem) => `header ${name} ${problem}`)
    })
    problems.push(...undocumentedHeaders(documented, answer))
    return isStub ? problems : [...problems, ...checkBody(documented, answer)]
  }

  function checkBody(
    documented: ApiResponse,
    { method, headers, body }: Answer,
  ): readonly string[] {
    const types = Object.keys(documented.content)
    if (types.length === 0) return body === '' ? [] : ['a body is not documented']
    const type = mediaTypeOf(headers)
    if (!types.includes(type)) return [`media type ${type || 'none'} is not documented`]
    if (method === 'HEAD') return body === '' ? [] : ['HEAD is answered with a body']
    return isJson(type) ? bodies(documented, type)(body) : []
  }

  return (answer, { hasStubs = false } = {}) => {
    const { method, path, status } = answer
    const common = [...checkCommon(answer), ...checkLink(answer, hasPage)]
    // CORS preflights are answered alike for every path.
    if (method === 'OPTIONS' && status === 204) return common
    const found = document.find(method, pathnameOf(path))
    if (found.kind === 'operation') {
      const { responses, id, raw } = found.operation
      const isStub = hasStubs && 'x-credits' in raw && status < 300
      return [...common, ...checkDocumented({ responses, name: id, isStub }, answer)]
    }
    // The protocol of agents describes its own messages.
    if (pathnameOf(path) === '/mcp') return common
    const isOther = found.kind === 'other method'
    // Assets of pages, screens of the console and redirects of superfluous slashes are not part of the interface.
    if (!isOther && /^\/(docs|console)\//.test(pathnameOf(path))) return common
    const problems = checkDocumented({ responses: document.anyPath, name: 'any path' }, answer)
    const isRight = status === (isOther ? 405 : 404) || beforeRouting.includes(status)
    return [...common, ...problems, ...(isRight ? [] : [`there is ${found.kind}`])]
  }
}

/** A stub backend may succeed with another status than the catalog's, which is passed on. */
function successOf(responses: ApiResponses): ApiResponse | undefined {
  return [...responses].find(([status]) => status < 300)?.[1]
}

/** Statuses that are answered before the route is looked up. */
const beforeRouting: readonly number[] = [400, 408, 417, 431, 503]

const commonHeaders = {
  'x-request-id': (value: string) => isId('req', value),
  'x-ratelimit-limit': (value: string) => /^[1-9]\d*$/.test(value),
  'x-ratelimit-remaining': (value: string) => /^\d+$/.test(value),
  'x-ratelimit-reset': (value: string) => /^\d{10}$/.test(value),
} as const

/** The headers of every answer (docs/contract.md §3), and the consistency of an envelope. */
function checkCommon({ status, headers, body, method }: Answer): string[] {
  const problems = Object.entries(commonHeaders).flatMap(([name, isRight]) => {
    const value = headers[name]
    if (value === undefined) return [`header ${name} is missing`]
    return isRight(value) ? [] : [`header ${name} is ${JSON.stringify(value)}`]
  })
  if (status === 429 && !/^[1-9]\d*$/.test(headers['retry-after'] ?? '')) {
    problems.push('header retry-after is missing')
  }
  if (status < 400 || method === 'HEAD' || !isJson(mediaTypeOf(headers))) return problems
  const { error, jsonrpc } = Object(parse(body))
  if (jsonrpc !== undefined) return problems
  // Protocol errors of OAuth name themselves in a text (docs/contract.md §2).
  if (typeof error !== 'object' || error === null) return problems
  if (error.status !== status) problems.push(`error.status is ${error.status}, not ${status}`)
  if (error.request_id !== headers['x-request-id']) {
    problems.push('error.request_id is not that of the header')
  }
  return problems
}

/** Headers of HTTP, of browsers and of every answer: the document need not describe them. */
const silentHeaders: readonly string[] = [
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'date', 'keep-alive'],
  ...[
    'transfer-encoding',
    'vary',
    'cache-control',
    'pragma',
    'allow',
    'access-control-allow-origin',
  ],
  ...['access-control-allow-credentials', 'access-control-expose-headers'],
  ...[
    'content-security-policy',
    'referrer-policy',
    'x-content-type-options',
    'x-frame-options',
    'cross-origin-opener-policy',
  ],
]

function undocumentedHeaders({ headers: documented }: ApiResponse, { headers }: Answer): string[] {
  const known = new Set(Object.keys(documented).map((name) => name.toLowerCase()))
  return Object.keys(headers)
    .filter((name) => !(known.has(name) || silentHeaders.includes(name) || name in commonHeaders))
    .map((name) => `header ${name} is not documented`)
}

/** The link of a failure must lead to a page, at any address of the documentation. */
function checkLink({ headers, body, status }: Answer, hasPage: (name: string) => boolean) {
  if (status < 400 || body === '' || !isJson(mediaTypeOf(headers))) return []
  const { error, error_uri } = Object(parse(body))
  const link = error_uri ?? Object(error).documentation_url
  if (typeof link !== 'string') return []
  const name = /\/((?:errors\/)?[\w-]+)$/.exec(link)?.[1] ?? ''
  return hasPage(name) ? [] : [`there is no page at ${link}`]
}

function pathnameOf(path: string): string {
  return path.split(/[?#]/, 1)[0] ?? path
}

/** Without its parameters. */
function mediaTypeOf(headers: Answer['headers']): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

/** Undefined where it is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function newAjv(): Ajv2020 {
  // OpenAPI's own members, such as `example`, are no mistakes.
  // Most schemas are used a few times only, so optimizing the code that checks them does not pay.
  const code = { optimize: false }
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true, code })
  addFormats.default(ajv)
  return ajv
}

type CheckText = (text: string) => readonly string[]

function bodyValidators({ root }: ApiDocument) {
  const ajv = newAjv()
  ajv.addSchema(Object(root), 'document')
  const byPlace = new Map<string, CheckText>()

  function compile(place: string): CheckText {
    const validate = ajv.compile({ $ref: `document${place}` })
    return (text) => {
      const value = parse(text)
      if (value === undefined) return ['the body is not JSON']
      return problemsOf(validate, value, 'the body')
    }
  }

  return ({ pointer }: ApiResponse, type: string): CheckText => {
    const place = `${pointer}/content/${type.replaceAll('/', '~1')}/schema`
    const known = byPlace.get(place)
    if (known) return known
    const made = compile(place)
    byPlace.set(place, made)
    return made
  }
}

function headerValidators({ root }: ApiDocument) {
  const ajv = newAjv()
  ajv.addSchema(Object(root), 'document')
  const bySchema = new WeakMap<object, ValidateFunction>()
  // Each response has its own copies of a few schemas.
  const byText = new Map<string, ValidateFunction>()

  function compile(schema: object): ValidateFunction {
    const text = rebased(schema)
    const validate = byText.get(text) ?? ajv.compile(JSON.parse(text))
    byText.set(text, validate)
    return validate
  }

  return (schema: object, text: string): readonly string[] => {
    const validate = bySchema.get(schema) ?? compile(schema)
    bySchema.set(schema, validate)
    // A header is text; a number has one notation.
    const isNumber = /^-?(0|[1-9]\d*)$/.test(text) && Object(schema).type !== 'string'
    return problemsOf(validate, isNumber ? Number(text) : text, `is ${text}:`)
  }
}

/** References of the document, as another schema has to write them. */
function rebased(node: unknown): string {
  return JSON.stringify(node).replaceAll('"$ref":"#/', '"$ref":"document#/')
}

function problemsOf(validate: ValidateFunction, value: unknown, whole: string): readonly string[] {
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message = 'is not valid', params }) => {
    const extra = params.additionalProperty ?? params.unevaluatedProperty
    const what = extra === undefined ? message : `has ${extra}, which is not documented`
    return `${instancePath || whole} ${what}`
  })
}

/** The message about an answer that does not conform. */
export function describeAnswer(answer: Answer, problems: readonly string[]): string {
  const { method, path, status, body } = answer
  const text = body.length > 2000 ? `${body.slice(0, 2000)}…` : body
  return `${method} ${path} answered ${status}: ${problems.join('; ')}\n${text}`
}
