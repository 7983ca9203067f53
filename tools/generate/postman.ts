import fc from 'fast-check'
import { type Json, membersOf } from '../openapi/components/json.ts'

const collectionFormat = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'
const methods = ['get', 'post', 'put', 'patch', 'delete'] as const
const formType = 'application/x-www-form-urlencoded'
/** Postman makes a new one for each request. */
const idempotencyKey = '{{$guid}}'

/**
 * The Postman collection (v2.1) of an OpenAPI document: a folder for each tag, a request for each
 * operation with its example input, and an example of each documented answer that has one.
 */
export function postmanCollection(document: Json): Json {
  const { title, description, version } = membersOf(document.info)
  const [server] = list(document.servers)
  return {
    info: { name: title, description, version, schema: collectionFormat },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{api_key}}', type: 'string' }] },
    variable: [
      { key: 'base_url', value: membersOf(server).url ?? '' },
      { key: 'api_key', value: '' },
    ],
    item: folders(document),
  }
}

function folders(document: Json): Json[] {
  const folderByTag = new Map<string, Json[]>()
  for (const [path, item] of Object.entries(membersOf(document.paths))) {
    for (const method of methods) {
      const operation = membersOf(membersOf(item)[method])
      if (operation.operationId === undefined) continue
      const tag = textOf(list(operation.tags)[0] ?? 'default')
      const requests = folderByTag.get(tag) ?? []
      requests.push(request(document, { method, path, operation }))
      folderByTag.set(tag, requests)
    }
  }
  const tags = list(document.tags).map(membersOf)
  return [...folderByTag].map(([name, item]) => {
    const description = tags.find((tag) => tag.name === name)?.description
    return { name, ...(description === undefined ? {} : { description }), item }
  })
}

interface Place {
  readonly method: string
  readonly path: string
  readonly operation: Json
}

function request(document: Json, { method, path, operation }: Place): Json {
  const parameters = list(operation.parameters).map((parameter) => follow(document, parameter))
  const { mediaType, body } = requestBody(document, operation)
  const header = [
    ...(mediaType === null ? [] : [{ key: 'Content-Type', value: mediaType }]),
    ...of(parameters, 'header').map((parameter) => field(document, parameter)),
  ]
  const takesKey = list(operation.security).some((needed) => 'ApiKeyBearer' in membersOf(needed))
  const sent = {
    method: method.toUpperCase(),
    ...(takesKey ? {} : { auth: { type: 'noauth' } }),
    header,
    url: url(document, path, parameters),
    ...body,
    description: [operation.summary, operation.description].filter(Boolean).join('\n\n'),
  }
  return { name: operation.summary, request: sent, response: responses(document, operation, sent) }
}

function url(document: Json, path: string, parameters: readonly Json[]): Json {
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1')
  const query = of(parameters, 'query').map((parameter) => field(document, parameter))
  const variable = of(parameters, 'path').map((parameter) => {
    const name = textOf(parameter.name)
    // Postman takes a whole segment for the name of a variable, with an ending such as `.pdf`.
    const [, ending = ''] = new RegExp(`\\{${name}\\}([^/]*)`).exec(path) ?? []
    return {
      key: `${name}${ending}`,
      value: `${textOf(exampleOf(document, parameter))}${ending}`,
      description: parameter.description ?? '',
    }
  })
  const search = query
    .filter(({ disabled }) => !disabled)
    .map(({ key, value }) => `${textOf(key)}=${textOf(value)}`)
  return {
    raw: `{{base_url}}/${segments}${search.length > 0 ? `?${search.join('&')}` : ''}`,
    host: ['{{base_url}}'],
    path: segments.split('/'),
    ...(query.length > 0 ? { query } : {}),
    ...(variable.length > 0 ? { variable } : {}),
  }
}

/** Optional parameters are listed but switched off; an idempotency key is always sent. */
function field(document: Json, { name, required, ...parameter }: Json): Json {
  const isKey = /^x-.+-idempotency-key$/i.test(String(name))
  return {
    key: name,
    value: isKey ? idempotencyKey : textOf(exampleOf(document, { name, ...parameter })),
    description: parameter.description ?? '',
    ...(isKey || required === true ? {} : { disabled: true }),
  }
}

function requestBody(document: Json, operation: Json): { mediaType: string | null; body: Json } {
  const { content, required } = follow(document, operation.requestBody)
  const [entry] = Object.entries(membersOf(content))
  if (!entry) return { mediaType: null, body: {} }
  const [mediaType, media] = entry
  const example = exampleOf(document, membersOf(media))
  if (mediaType !== formType) {
    const raw = JSON.stringify(example, null, 2)
    const options = { raw: { language: 'json' } }
    return { mediaType, body: { body: { mode: 'raw', raw, options } } }
  }
  const urlencoded = Object.entries(membersOf(example)).map(([key, value]) => ({
    key,
    value: textOf(value),
    // An optional member, such as a token that is in the header already, is listed but switched
    // off.
    ...(required === true ? {} : { disabled: true }),
  }))
  return { mediaType, body: { body: { mode: 'urlencoded', urlencoded } } }
}

/** Examples of successes only: failures look alike everywhere. */
function responses(document: Json, operation: Json, originalRequest: Json): Json[] {
  const successes = Object.entries(membersOf(operation.responses)).filter(([status]) =>
    status.startsWith('2'),
  )
  return successes.flatMap(([status, reference]) => {
    const { description, content } = follow(document, reference)
    return Object.entries(membersOf(content)).map(([mediaType, media]) => {
      const example = exampleOf(document, membersOf(media))
      return {
        name: textOf(description),
        originalRequest,
        code: Number(status),
        header: [{ key: 'Content-Type', value: mediaType }],
        _postman_previewlanguage: mediaType.includes('json') ? 'json' : 'text',
        body: typeof example === 'string' ? example : JSON.stringify(example, null, 2),
      }
    })
  })
}

/** The example of a parameter or a body, or else a value made from its schema. */
function exampleOf(document: Json, { name, example, examples, schema }: Json): unknown {
  const [shown] = Object.values(membersOf(examples)).map((one) => follow(document, one).value)
  return example ?? shown ?? sample(document, schema, textOf(name ?? ''))
}

const sampleByFormat: Readonly<Record<string, string>> = {
  'date-time': '2030-01-01T00:00:00.000Z',
  hostname: 'shop.example',
  uri: 'https://shop.example/callback',
}

/**
 * The smallest valid value of a schema: its own example, or its required members; `name` replaces a
 * text.
 */
function sample(document: Json, reference: unknown, name: string): unknown {
  const schema = follow(document, reference)
  const known = schema.const ?? schema.default ?? list(schema.examples)[0] ?? list(schema.enum)[0]
  if (known !== undefined) return known
  const [option] = [...list(schema.oneOf), ...list(schema.anyOf)]
  if (option !== undefined) return sample(document, option, name)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') {
    const properties = Object.entries(membersOf(schema.properties))
    const needed = properties.filter(([member]) => list(schema.required).includes(member))
    return Object.fromEntries(
      needed.map(([member, part]) => [member, sample(document, part, member)]),
    )
  }
  if (type === 'array') return [sample(document, schema.items, name)]
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0
  return type === 'boolean' ? false : sampleText(schema, name)
}

function sampleText({ format, pattern }: Json, name: string): string {
  const isAddress = /ur[il]s?$/.test(name)
  const known = sampleByFormat[isAddress ? 'uri' : textOf(format ?? '')]
  if (known !== undefined) return known
  if (typeof pattern !== 'string' || new RegExp(pattern).test(name)) return name
  // Generated files that are committed must not change between runs.
  const [matching = name] = fc.sample(fc.stringMatching(new RegExp(pattern)), {
    numRuns: 1,
    seed: 1,
  })
  return matching
}

function of(parameters: readonly Json[], part: string): Json[] {
  return parameters.filter((parameter) => parameter.in === part)
}

/** Resolves a reference; returns any other value unchanged. */
function follow(document: Json, value: unknown): Json {
  const { $ref, ...members } = membersOf(value)
  if (typeof $ref !== 'string') return members
  const names = $ref.slice(2).split('/')
  const target = names.reduce<unknown>((part, name) => membersOf(part)[name], document)
  return follow(document, target)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
