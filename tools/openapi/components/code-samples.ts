import { inLanguages, sampleLanguages } from '../../../site/samples/in-languages.ts'
import { formType, type SampleBody, type SampleCall } from '../../../site/samples/sample-call.ts'
import { type Json, membersOf } from './json.ts'

/** The call of an operation in every language, as the reference shows it; none where only browsers or providers call. */
export function codeSamples(path: string, method: string, operation: Json): Json {
  const call = callOf(path, method, operation)
  if (call === null) return {}
  const written = inLanguages(call)
  return {
    'x-codeSamples': Object.entries(sampleLanguages).map(([language, { label }]) => ({
      ...{ lang: label === 'curl' ? 'Shell' : label, label },
      source: language === 'sh' ? written.sh : language === 'ts' ? written.ts : written.python,
    })),
  }
}

function callOf(path: string, method: string, operation: Json): SampleCall | null {
  const schemes = listOf(operation.security).flatMap((requirement) =>
    Object.keys(membersOf(requirement)),
  )
  const isForKeys = schemes.includes('ApiKeyBearer')
  const isForApps = schemes.includes('ClientSecretBasic')
  const isPublic = schemes.length === 0 && path.startsWith('/v1/') && method === 'GET'
  if (!(isForKeys || isForApps || isPublic)) return null
  const parameters = listOf(operation.parameters).map(membersOf)
  const required = parameters.filter((parameter) => parameter.required === true)
  const values = new Map(
    required.map((parameter) => [String(parameter.name), exampleOf(parameter)]),
  )
  // A link that somebody else has signed is followed, not called.
  if ([...values.values()].includes(null)) return null
  const query = required
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => `${String(name)}=${encodeURIComponent(values.get(String(name)) ?? '')}`)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '')
  return {
    method,
    path: [filled, ...(query.length > 0 ? [query.join('&')] : [])].join('?'),
    headers: {},
    body: bodyOf(operation),
    isPublic: !isForKeys,
    ...answerOf(operation),
  }
}

function bodyOf(operation: Json): SampleBody | null {
  const content = membersOf(membersOf(operation.requestBody).content)
  const [type] = Object.keys(content)
  if (type === undefined) return null
  const { example = {} } = membersOf(content[type])
  if (type !== formType) return { json: example }
  const fields = Object.entries(membersOf(example)).map(([name, value]) => [name, String(value)])
  return { form: Object.fromEntries(fields) }
}

function answerOf(operation: Json): Pick<SampleCall, 'answer'> {
  const [success = ''] = Object.keys(membersOf(operation.responses))
  const types = Object.keys(membersOf(membersOf(membersOf(operation.responses)[success]).content))
  if (types.includes('application/json')) return {}
  return { answer: types.includes('application/pdf') ? 'file' : 'text' }
}

/** Made-up ids, and what a person would choose. */
const chosen: Readonly<Record<string, string>> = {
  ...{ external_id: 'team-7', package_id: 'pack_starter' },
}

function exampleOf({ name, schema, example }: Json): string | null {
  const { examples, enum: values, default: usual, pattern = '' } = membersOf(schema)
  const first = example ?? listOf(examples)[0] ?? listOf(values)[0] ?? usual ?? chosen[String(name)]
  if (typeof first === 'string' || typeof first === 'number') return String(first)
  const [, prefix] = /^\^([a-z]+_)\[0-7\]/.exec(String(pattern)) ?? []
  return prefix === undefined ? null : `${prefix}01kg8mz2kqe7vtf0pm6n5d3c4b`
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
