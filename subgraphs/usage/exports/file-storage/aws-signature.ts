import { createHash, createHmac } from 'node:crypto'

export interface AwsCredentials {
  readonly keyId: string
  readonly secret: string
  readonly region: string
}

export interface AwsRequest {
  readonly method: string
  /** Path and query written as they are sent: `encodeAws` of every part. */
  readonly url: URL
  /** Names in lower case; `host` is added. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** As AWS wants names and values in a URL: RFC 3986, nothing else left as it is. */
export function encodeAws(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The headers to send: those given and AWS Signature Version 4 for S3, of the body too. */
export function signAws(
  { keyId, secret, region }: AwsCredentials,
  { method, url, headers, body }: AwsRequest,
  now: Date = new Date(),
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const day = time.slice(0, 8)
  const hash = sha256(body)
  const signed: Record<string, string> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': hash,
    'x-amz-date': time,
  }
  const names = Object.keys(signed).sort()
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1).split('&').sort().join('&'),
    ...names.map((name) => `${name}:${signed[name]?.trim()}`),
    '',
    names.join(';'),
    hash,
  ].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${secret}`)
  const signature = createHmac('sha256', key).update(text).digest('hex')
  const credential = `Credential=${keyId}/${scope}`
  const authorization = `AWS4-HMAC-SHA256 ${credential},SignedHeaders=${names.join(';')},Signature=${signature}`
  return { ...signed, authorization }
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
