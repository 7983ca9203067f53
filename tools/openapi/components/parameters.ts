import { endUserHeader, endUserPattern } from '../../../rest-facade/http/fields/end-user.ts'
import { scenarioForms, scenarioHeader } from '../../../schema/catalog/scenario.ts'
import type { Components } from './components.ts'
import { compact, type Json } from './json.ts'
import type { RequestSchema } from './request-schema.ts'
import { withoutNull } from './request-schema.ts'

/** The members of a path or query, each as a parameter. */
export function parametersIn(place: 'path' | 'query', schema: RequestSchema): Json[] {
  return Object.entries(schema.properties).map(([name, property]) => {
    const { description, ...type } = withoutNull(property)
    return compact({
      name,
      in: place,
      description,
      required: place === 'path' || schema.required.includes(name) || undefined,
      schema: type,
    })
  })
}

const key = { type: 'string', minLength: 1, maxLength: 255 }

/** The idempotency key, on operations that change or cost something: the caller chooses it. */
export function idempotencyParameters(components: Components): Json[] {
  return [
    components.add('parameters', 'IdempotencyKey', {
      name: 'X-SVC-Idempotency-Key',
      in: 'header',
      description:
        'The request takes effect once, however often it is sent with this key: a repetition gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is a 422.',
      schema: key,
      example: '7f0c2b1e-order-42',
    }),
    components.add('parameters', 'IdempotencyKeyAlias', {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'Another name of `X-SVC-Idempotency-Key`; where both are sent they must be equal.',
      schema: key,
    }),
  ]
}

/** The header that names an end user, on operations of an account. */
export function endUserParameter(components: Components): Json {
  return components.add('parameters', 'EndUser', {
    name: endUserHeader,
    in: 'header',
    description:
      'The user of yours for whom you call. The usage log keeps it and can be filtered by it; it is never passed on.',
    schema: { type: 'string', pattern: endUserPattern.source },
    example: 'user-4711',
  })
}

/**
 * The header with which a caller of the sandbox chooses an answer. It has no effect elsewhere.
 */
export function scenarioParameter(components: Components): Json {
  return components.add('parameters', 'SandboxScenario', {
    name: scenarioHeader,
    in: 'header',
    description: `In the sandbox only: what happens to the call. One of ${scenarioForms}.`,
    schema: { type: 'string' },
    example: 'empty',
  })
}

export const ifNoneMatch: Json = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of the state that is known.',
  schema: { type: 'string' },
}
