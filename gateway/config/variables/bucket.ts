import { z } from 'zod'
import type { S3Options } from '../../../subgraphs/usage/exports/file-storage/s3-files.ts'

/** Scheme of the variable → that of the service. */
const schemes: ReadonlyMap<string, string> = new Map([
  ['s3:', 'https:'],
  ['s3+http:', 'http:'],
])

const form =
  'must be s3://<key>:<secret>@<host>/<bucket>?region=<region>, or s3+http://… without TLS; key and secret are percent-encoded'

const part = (pattern: RegExp, message: string) => z.string(message).regex(pattern, message)

const parts = z.object({
  keyId: part(/^\S+$/, 'must have the id of an access key before its colon'),
  secret: part(/^\S+$/, 'must have the secret of an access key before its @, percent-encoded'),
  bucket: part(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must have the name of a bucket as its path'),
  region: part(
    /^[a-z0-9-]{1,64}$/,
    'must have a region in its query, such as ?region=eu-central-1',
  ),
  others: part(/^$/, 'must have nothing but the region behind its bucket'),
})

/**
 * A bucket of S3 or of a compatible service, as one URL. A problem names the part and repeats none, because a part of
 * a wrong URL may be a piece of the secret.
 */
export const bucketUrl = z.string().transform((text, context): S3Options => {
  const url = URL.parse(text)
  const scheme = schemes.get(url?.protocol ?? '')
  const endpoint = scheme ? URL.parse(`${scheme}//${url?.host}`) : null
  if (!url || !endpoint) {
    context.addIssue({ code: 'custom', message: form })
    return z.NEVER
  }
  const { region, ...others } = Object.fromEntries(url.searchParams)
  const { data, error } = parts.safeParse({
    keyId: decoded(url.username),
    secret: decoded(url.password),
    bucket: url.pathname.slice(1),
    region,
    others: Object.keys(others).join('') + url.hash,
  })
  for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', message })
  if (!data) return z.NEVER
  const { keyId, secret, bucket } = data
  return { endpoint: endpoint.origin, bucket, region: data.region, keyId, secret }
})

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
