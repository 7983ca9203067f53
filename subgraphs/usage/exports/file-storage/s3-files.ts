import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent, Dispatcher } from 'undici'
import { type AwsCredentials, encodeAws, signAws } from './aws-signature.ts'
import { FileExists, type FileStorage, type FileWriter } from './file-storage.ts'

export interface S3Options extends AwsCredentials {
  /** Scheme, host and port of S3 (`https://s3.eu-central-1.amazonaws.com`) or a similar service. */
  readonly endpoint: string
  readonly bucket: string
}

/**
 * S3 takes 10,000 parts of at least 5 MiB: this allows 80 GB, and each file holds one in memory.
 */
const partBytes = 8 * 1024 * 1024
const attempts = 4
const firstPauseMs = 200
const answerPatienceMs = 30_000

interface S3Request {
  readonly method: string
  readonly name?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
  /** Statuses that are no failure, in addition to 200 and 204. */
  readonly also?: readonly number[]
}

type Ask = (request: S3Request) => Promise<Dispatcher.ResponseData>

/** Stores files as objects of a bucket, by path-style addresses; failed requests are retried. */
export function s3Files({ endpoint, bucket, ...credentials }: S3Options): FileStorage {
  let opening: Promise<Agent> | undefined

  async function askOnce(asked: S3Request): Promise<Dispatcher.ResponseData> {
    const { method, name = '', query = {}, body = '', headers = {}, also = [] } = asked
    const url = new URL(endpoint)
    url.pathname = `/${encodeAws(bucket)}${name && `/${encodeAws(name)}`}`
    url.search = Object.entries(query)
      .map(([key, value]) => `${encodeAws(key)}=${encodeAws(value)}`)
      .join('&')
    opening ??= openAgent()
    const agent = await opening
    const signed = await signAws(credentials, { method, url, headers, body })
    const response = await agent.request({
      ...{ origin: url.origin, path: `${url.pathname}${url.search}` },
      ...{ method, headers: signed, body: body === '' ? null : body },
    })
    if ([200, 204, ...also].includes(response.statusCode)) return response
    throw new S3Failure(response.statusCode, await response.body.text())
  }

  const ask: Ask = async (asked) => {
    for (let attempt = 1, pauseMs = firstPauseMs; ; attempt += 1, pauseMs *= 2) {
      try {
        return await askOnce(asked)
      } catch (error) {
        const isFinal = error instanceof S3Failure && error.isFinal
        if (isFinal || attempt === attempts) throw error
        await sleep(pauseMs)
      }
    }
  }

  return {
    create: (name) => startUpload(ask, name, {}),
    createOnce: (name) => startUpload(ask, name, { 'if-none-match': '*' }),
    async has(name) {
      const { statusCode, body } = await ask({ method: 'HEAD', name, also: [404] })
      await body.dump()
      return statusCode !== 404
    },
    async open(name) {
      const { statusCode, headers, body } = await ask({ method: 'GET', name, also: [404] })
      if (statusCode === 404) {
        await body.dump()
        return null
      }
      return { bytes: Number(headers['content-length']), stream: body }
    },
    async remove(name) {
      // The parts of a writer that died cost money until their upload is aborted.
      for (const uploadId of await uploadsOf(ask, name)) await abortUpload(ask, name, uploadId)
      const { body } = await ask({ method: 'DELETE', name, also: [404] })
      await body.dump()
    },
    async close() {
      await (await opening)?.destroy()
    },
  }
}

/** Opens the client, which is loaded when a bucket is asked first, because most gateways have none. */
async function openAgent(): Promise<Agent> {
  const { Agent } = await import('undici')
  return new Agent({ headersTimeout: answerPatienceMs, bodyTimeout: answerPatienceMs })
}

/** A refusal of S3, with its code and message. */
class S3Failure extends Error {
  override readonly name = 'S3Failure'
  readonly status: number

  constructor(status: number, text: string) {
    const code = elementsOf(text, 'Code')[0] ?? 'no code'
    const said = elementsOf(text, 'Message')[0] ?? text.slice(0, 200)
    super(`The storage answered ${status} ${code}: ${said}`)
    this.status = status
  }

  /** Whether a retry would fail again. */
  get isFinal(): boolean {
    return this.status < 500 && this.status !== 200 && this.status !== 429 && this.status !== 408
  }
}

/** An object is invisible until its upload is completed. */
async function startUpload(
  ask: Ask,
  name: string,
  /** Headers of the request that makes the object visible. */
  condition: Readonly<Record<string, string>>,
): Promise<FileWriter> {
  const type = name.endsWith('.json') ? 'application/json' : 'text/csv; charset=utf-8'
  const contentType = { 'content-type': type }
  const query = { uploads: '' }
  const started = await ask({ method: 'POST', name, query, headers: contentType })
  const [uploadId = ''] = elementsOf(await started.body.text(), 'UploadId')
  if (uploadId === '') throw new Error('The storage has not named the upload.')
  const tags: string[] = []
  let waiting: Buffer[] = []
  let waitingBytes = 0

  async function sendPart(): Promise<void> {
    const body = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    const partNumber = String(tags.length + 1)
    const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
    const part = { method: 'PUT', name, query: { partNumber, uploadId }, headers, body }
    const answer = await ask(part)
    await answer.body.dump()
    tags.push(String(answer.headers.etag))
  }

  return {
    async write(chunk) {
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (waitingBytes >= partBytes) await sendPart()
    },
    async finish() {
      if (waitingBytes > 0 || tags.length === 0) await sendPart()
      await completeUpload(ask, name, { uploadId, tags, condition })
    },
    abort: () => abortUpload(ask, name, uploadId),
  }
}

interface Upload {
  readonly uploadId: string
  readonly tags: readonly string[]
  readonly condition: Readonly<Record<string, string>>
}

async function completeUpload(
  ask: Ask,
  name: string,
  { uploadId, tags, condition }: Upload,
): Promise<void> {
  const parts = tags.map(
    (tag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
  const completion = { method: 'POST', name, query: { uploadId }, headers: condition, body }
  const { statusCode, body: answer } = await ask({ ...completion, also: [412] })
  const text = await answer.text()
  if (statusCode === 412) {
    await abortUpload(ask, name, uploadId)
    throw new FileExists(`There is an object ${name} already.`)
  }
  // The answer may begin with status 200 and still report a failure.
  if (!text.includes('<CompleteMultipartUploadResult')) throw new S3Failure(200, text)
}

async function abortUpload(ask: Ask, name: string, uploadId: string): Promise<void> {
  const { body } = await ask({ method: 'DELETE', name, query: { uploadId }, also: [404] })
  await body.dump()
}

/** No name is the beginning of another name, so the few uploads fit on one page. */
async function uploadsOf(ask: Ask, name: string): Promise<string[]> {
  const { body } = await ask({ method: 'GET', query: { uploads: '', prefix: name } })
  return elementsOf(await body.text(), 'UploadId')
}

/** Returns the texts of these elements. The answers of S3 have elements without attributes. */
function elementsOf(xml: string, name: string): string[] {
  const pattern = new RegExp(`<${name}>([^<]*)</${name}>`, 'g')
  return [...xml.matchAll(pattern)].map(([, text = '']) => unescapeXml(text))
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&#34;': '"',
  '&#39;': "'",
}

function unescapeXml(text: string): string {
  return text.replaceAll(/&[#a-z0-9]+;/g, (entity) => entities[entity] ?? entity)
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
