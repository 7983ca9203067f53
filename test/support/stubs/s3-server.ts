import { createHash, createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export const s3Access = {
  keyId: 'AKIDTEST',
  secret: 'the/secret+of@the=test%',
  region: 'eu-test-1',
}

/** A fault in place of the answer to one request: see `failNext`. */
export type Failure = 'answers 503' | 'answers 200 and fails' | 'hangs up' | 'answers 403'

/**
 * The part of S3 that stores files, in memory; it refuses requests whose signature it cannot
 * reproduce.
 */
export interface S3Server {
  readonly url: string
  readonly bucket: string
  readonly objects: ReadonlyMap<string, Buffer>
  /** Uploads that were started and neither completed nor aborted. */
  readonly uploads: ReadonlyMap<string, { readonly name: string }>
  /** How it answered every request, such as `PUT exports/a.csv 200`. */
  readonly log: readonly string[]
  /** For the next requests of this method. */
  failNext(method: string, ...failures: Failure[]): void
  close(): Promise<void>
}

/** The bucket as a variable of the gateway has it. */
export function bucketUrlOf(
  { url, bucket }: S3Server,
  { secret }: { readonly secret: string } = s3Access,
): string {
  const { keyId, region } = s3Access
  return `s3+http://${keyId}:${encodeURIComponent(secret)}@${new URL(url).host}/${bucket}?region=${region}`
}

interface Upload {
  readonly name: string
  readonly parts: Map<number, Buffer>
}

interface Asked {
  readonly method: string
  readonly name: string
  readonly query: URLSearchParams
  readonly body: Buffer
  /** `If-None-Match: *` */
  readonly isOnce: boolean
}

const minPartBytes = 5 * 1024 * 1024

export async function startS3Server(): Promise<S3Server> {
  const bucket = 'exports'
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Upload>()
  const failures = new Map<string, Failure[]>()
  const log: string[] = []

  function answer({
    method,
    name,
    query,
    body,
    isOnce,
  }: Asked): [number, string | Buffer, object?] {
    const uploadId = query.get('uploadId') ?? ''
    const upload = uploads.get(uploadId)
    if (method === 'POST' && query.has('uploads')) {
      // Ids of services hold what XML and URLs have to write otherwise.
      const id = `${randomUUID()}+/=&<~`
      uploads.set(id, { name, parts: new Map() })
      return [200, `<R><UploadId>${escapeXml(id)}</UploadId></R>`]
    }
    if (method === 'GET' && query.has('uploads')) {
      const prefix = query.get('prefix') ?? ''
      const found = [...uploads].filter(([, one]) => one.name.startsWith(prefix))
      const texts = found.map(([id]) => `<Upload><UploadId>${escapeXml(id)}</UploadId></Upload>`)
      return [200, `<ListMultipartUploadsResult>${texts.join('')}</ListMultipartUploadsResult>`]
    }
    if (uploadId !== '' && upload?.name !== name) return [404, failure('NoSuchUpload')]
    if (method === 'PUT' && upload) {
      upload.parts.set(Number(query.get('partNumber')), body)
      return [200, '', { etag: tagOf(body) }]
    }
    if (method === 'POST' && isOnce && objects.has(name)) {
      return [412, failure('PreconditionFailed')]
    }
    if (method === 'POST' && upload) return complete(uploadId, upload, body.toString())
    if (method === 'DELETE' && upload) {
      uploads.delete(uploadId)
      return [204, '']
    }
    const object = objects.get(name)
    if (method === 'GET' || method === 'HEAD')
      return object ? [200, object] : [404, failure('NoSuchKey')]
    if (method === 'DELETE') {
      objects.delete(name)
      return [204, '']
    }
    return [405, failure('MethodNotAllowed')]
  }

  function complete(id: string, { name, parts }: Upload, xml: string): [number, string] {
    const listed = [...xml.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)]
    const bodies = listed.map(([, number, tag]) => {
      const part = parts.get(Number(number))
      return part && tagOf(part) === tag?.replaceAll('&quot;', '"') ? part : null
    })
    const isWhole = bodies.every((part, index) => {
      if (!part || Number(listed[index]?.[1]) !== index + 1) return false
      return part.length >= minPartBytes || index === bodies.length - 1
    })
    if (bodies.length === 0 || !isWhole) return [400, failure('InvalidPart')]
    objects.set(name, Buffer.concat(bodies.filter((part) => part !== null)))
    uploads.delete(id)
    return [200, '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>']
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req)
    const { method = '', url: path = '' } = req
    const { pathname, searchParams: query } = new URL(path, 'http://s3')
    const [, found, ...rest] = pathname.split('/').map(decodeURIComponent)
    const name = rest.join('/')
    const isOnce = req.headers['if-none-match'] === '*'
    const planned = failures.get(method)?.shift()
    if (planned === 'hangs up') {
      log.push(`${method} hung up`)
      req.socket.destroy()
      return
    }
    const [status, content, headers = {}] = !isSigned(req, body)
      ? [403, failure('SignatureDoesNotMatch')]
      : found !== bucket
        ? [404, failure('NoSuchBucket')]
        : (plannedAnswer(planned) ?? answer({ method, name, query, body, isOnce }))
    log.push(`${method} ${found}/${name} ${status}`)
    res.writeHead(status, { 'content-length': Buffer.byteLength(content), ...headers })
    res.end(content)
  }

  const server = createServer((req, res) => void handle(req, res))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ...{ url: `http://127.0.0.1:${port}`, bucket, objects, uploads, log },
    failNext(method, ...planned) {
      failures.set(method, planned)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function plannedAnswer(planned: Failure | undefined): [number, string] | null {
  if (planned === 'answers 503') return [503, failure('SlowDown')]
  if (planned === 'answers 403') return [403, failure('AccessDenied')]
  return planned === 'answers 200 and fails' ? [200, failure('InternalError')] : null
}

function failure(code: string): string {
  return `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>Of the test.</Message></Error>`
}

function tagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

const maxAgeMs = 900_000

/** Computes the signature of a request by the documented steps of Signature Version 4. */
function isSigned(req: IncomingMessage, body: Buffer): boolean {
  const pattern =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/
  const [, keyId, day = '', region, names = '', signature] =
    pattern.exec(req.headers.authorization ?? '') ?? []
  const { keyId: knownId, secret, region: ourRegion } = s3Access
  if (keyId !== knownId || region !== ourRegion) return false
  const time = String(req.headers['x-amz-date'])
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? []
  const ageMs = Math.abs(Date.now() - Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`))
  const hash = createHash('sha256').update(body).digest('hex')
  const md5 = req.headers['content-md5']
  const isBody =
    req.headers['x-amz-content-sha256'] === hash &&
    (md5 === undefined || md5 === createHash('md5').update(body).digest('base64'))
  const needed = ['host', 'x-amz-content-sha256', 'x-amz-date']
  const signed = names.split(';')
  if (!(ageMs < maxAgeMs) || day !== time.slice(0, 8) || !isBody) return false
  if (!needed.every((name) => signed.includes(name))) return false
  const [path = '', query = ''] = (req.url ?? '').split('?')
  const canonicalQuery = query
    .split('&')
    .map((pair) => (pair === '' || pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&')
  const lines = signed.map((name) => `${name}:${String(req.headers[name]).trim()}\n`).join('')
  const request = [req.method, path, canonicalQuery, lines, names, hash].join('\n')
  const requestHash = createHash('sha256').update(request).digest('hex')
  const scope = `${day}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, requestHash].join('\n')
  const dateKey = createHmac('sha256', `AWS4${secret}`).update(day).digest()
  const regionKey = createHmac('sha256', dateKey).update(region).digest()
  const serviceKey = createHmac('sha256', regionKey).update('s3').digest()
  const signingKey = createHmac('sha256', serviceKey).update('aws4_request').digest()
  return signature === createHmac('sha256', signingKey).update(text).digest('hex')
}
