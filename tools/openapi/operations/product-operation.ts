import { keptStatuses } from '../../../rest-facade/backends/backend-answer.ts'
import { callerRefusals, keyOrToken } from '../../../rest-facade/routes/kinds/openapi/security.ts'
import { type Operation, takesIdempotencyKey } from '../../../schema/catalog/operation.ts'
import { priceText } from '../../../schema/catalog/price-text.ts'
import { sample } from '../../../schema/catalog/sample.ts'
import { toolName } from '../../../schema/catalog/tool-name.ts'
import { bodyText } from '../components/body-text.ts'
import type { Components } from '../components/components.ts'
import type { Examples } from '../components/examples.ts'
import { responseHeaders } from '../components/headers.ts'
import { type Json, membersOf, pascalCase } from '../components/json.ts'
import { deprecationHeaderNames, operationObject } from '../components/operation.ts'
import {
  endUserParameter,
  idempotencyParameters,
  parametersIn,
  scenarioParameter,
} from '../components/parameters.ts'
import type { RequestSchema } from '../components/request-schema.ts'
import { errorResponses } from '../errors/error-responses.ts'

interface ProductOptions {
  readonly components: Components
  readonly examples: Examples
}

/** The OpenAPI operation of a row of the catalog. */
export function productOperation(operation: Operation, options: ProductOptions): Json {
  const { components } = options
  const { id, scope, declared } = operation
  const { path, query } = declared.request
  return operationObject({
    operationId: id,
    tag: operation.serviceName,
    description: [operation.description, `Needs the scope \`${scope}\`.`],
    security: keyOrToken({ scope }),
    parameters: [
      ...(path ? parametersIn('path', partOf(path)) : []),
      ...(query ? parametersIn('query', partOf(query)) : []),
      ...(takesIdempotencyKey(operation) ? idempotencyParameters(components) : []),
      endUserParameter(components),
      scenarioParameter(components),
    ],
    requestBody: requestBody(operation, options),
    responses: {
      [operation.response.status]: success(operation, options),
      ...errorResponses(
        {
          ...{ codes: codesOf(operation), keptStatuses, isMetered: true },
          deprecated: operation.deprecated,
        },
        components,
      ),
    },
    deprecated: operation.deprecated,
    extensions: {
      'x-scope': scope,
      'x-credits': declared.credits,
      'x-badges': [{ name: priceText(operation.price), position: 'after' }],
      'x-backend-module': operation.backendModule,
      'x-mcp-tool': toolName(operation),
      'x-extension': true,
    },
  })
}

function partOf(schema: Json): RequestSchema {
  const { required, additionalProperties } = schema
  const properties = Object.entries(membersOf(schema.properties))
  return {
    properties: Object.fromEntries(properties.map(([name, one]) => [name, membersOf(one)])),
    required: Array.isArray(required) ? required : [],
    isClosed: additionalProperties === false,
  }
}

function requestBody(operation: Operation, { components, examples }: ProductOptions) {
  const { id, summary, declared } = operation
  const { body } = declared.request
  if (!body) return undefined
  const schema = { description: `The body of the request: ${summary}.`, ...body }
  const part = partOf(body)
  const isRequired = part.required.length > 0
  return {
    description: bodyText(part, { isRequired }),
    required: isRequired,
    content: {
      'application/json': {
        schema: components.add('schemas', `${pascalCase(id)}Request`, schema),
        example: examples[id]?.request ?? exampleOf(body, id),
      },
    },
  }
}

function success(operation: Operation, { components, examples }: ProductOptions): Json {
  const { id, summary, response } = operation
  const { status } = response
  const schema = { description: `${summary}.`, ...response.schema }
  return {
    description: `${summary}.`,
    headers: responseHeaders(
      components,
      ['X-Credits-Charged', 'X-Credits-Remaining', ...deprecationHeaderNames(operation)],
      [
        'X-Budget-Remaining',
        ...(takesIdempotencyKey(operation) ? (['Idempotent-Replayed'] as const) : []),
      ],
    ),
    ...(status !== 204 && {
      content: {
        'application/json': {
          schema: components.add('schemas', `${pascalCase(id)}Response`, schema),
          example: examples[id]?.responses[status] ?? exampleOf(response.schema, id),
        },
      },
    }),
  }
}

/** The example that the simulator makes from the examples of a schema. */
function exampleOf(schema: Json, seed: string): unknown {
  return sample(schema, { seed, given: {}, length: 1 })
}

/** A scenario of the sandbox makes every operation answer each code of the scenarios. */
function codesOf(operation: Operation) {
  const { declared } = operation
  return [
    ...(['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const),
    ...callerRefusals,
    ...(['INSUFFICIENT_CREDITS', 'BUDGET_EXCEEDED'] as const),
    ...(['NOT_FOUND', 'CONFLICT', 'INVALID_REQUEST'] as const),
    ...(['BACKEND_ERROR', 'BACKEND_TIMEOUT'] as const),
    ...(declared.request.body ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(takesIdempotencyKey(operation) ? (['IDEMPOTENCY_CONFLICT'] as const) : []),
  ]
}
