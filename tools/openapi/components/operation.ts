import type { Deprecation } from '../../../schema/catalog/deprecation.ts'
import type { Json } from './json.ts'
import { compact } from './json.ts'
import { titleOf } from './titles.ts'

/** The parts of every operation of the document, whatever its source is. */
export interface OperationParts {
  readonly operationId: string
  readonly tag: string
  /** Paragraphs. */
  readonly description: readonly string[]
  readonly security: readonly Json[]
  readonly parameters: readonly Json[]
  readonly requestBody?: Json
  readonly responses: Json
  readonly deprecated?: Deprecation
  /** `x-…` */
  readonly extensions: Json
}

export function operationObject(parts: OperationParts): Json {
  const { operationId, tag, description, security, parameters, deprecated } = parts
  return compact({
    operationId,
    tags: [tag],
    summary: titleOf(operationId),
    description: [...description, ...deprecationText(deprecated)].join('\n\n'),
    deprecated: deprecated && true,
    security,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: parts.requestBody,
    responses: parts.responses,
    ...parts.extensions,
    'x-deprecated-since': deprecated?.since,
    'x-sunset': deprecated?.sunset,
  })
}

function deprecationText(deprecated: Deprecation | undefined): string[] {
  if (!deprecated) return []
  const { since, sunset, successor, reason } = deprecated
  const instead = successor === undefined ? '' : ` Use \`${successor}\`.`
  return [`**Deprecated since ${since}; it may be gone from ${sunset} on.** ${reason}${instead}`]
}

/** The headers that announce a deprecation. */
export function deprecationHeaderNames({
  deprecated,
}: {
  readonly deprecated?: Deprecation
}): readonly ('Deprecation' | 'Sunset' | 'Link')[] {
  return deprecated ? ['Deprecation', 'Sunset', 'Link'] : []
}
