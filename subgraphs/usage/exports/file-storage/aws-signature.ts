import { createHash } from 'node:crypto'
import { AwsV4Signer } from 'aws4fetch'

export interface AwsCredentials {
  readonly keyId: string
  readonly secret: string
  readonly region: string
}

export interface AwsRequest {
  readonly method: string
  /** Path and query as they are sent: `encodeAws` has encoded every part. */
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** Encodes a name or a value of a URL as AWS requires: RFC 3986, and every reserved character. */
export function encodeAws(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * Returns the headers to send: the given ones and AWS Signature Version 4 for S3, over the body
 * too.
 */
export async function signAws(
  { keyId, secret, region }: AwsCredentials,
  { method, url, headers, body }: AwsRequest,
  now: Date = new Date(),
): Promise<Record<string, string>> {
  const signer = new AwsV4Signer({
    ...{ method, url: url.href, service: 's3', region, allHeaders: true },
    ...{ accessKeyId: keyId, secretAccessKey: secret },
    // The signer would leave the body out of the signature.
    headers: { ...headers, 'x-amz-content-sha256': sha256(body) },
    datetime: now.toISOString().replaceAll(/[-:]|\.\d{3}/g, ''),
  })
  const signed = await signer.sign()
  return Object.fromEntries(signed.headers)
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex')
}
