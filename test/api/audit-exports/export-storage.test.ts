import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createLog } from '../../../gateway/launch/process/log.ts'
import { signAws } from '../../../subgraphs/usage/exports/file-storage/aws-signature.ts'
import type { FileStorage } from '../../../subgraphs/usage/exports/file-storage/file-storage.ts'
import { openFileStorage } from '../../../subgraphs/usage/exports/file-storage/open-file-storage.ts'
import { startTestGateway } from '../../support/gateway/gateway.ts'
import { csvRecords } from '../../support/requests/csv.ts'
import { findForms } from '../../support/requests/needles.ts'
import {
  bucketUrlOf,
  type S3Server,
  s3Access,
  startS3Server,
} from '../../support/stubs/s3-server.ts'
import { patience } from '../../support/time/patience.ts'

const megabyte = 1024 * 1024

let server: S3Server
let folder: string
beforeAll(async () => {
  server = await startS3Server()
  folder = mkdtempSync(join(tmpdir(), 'gateway-files-'))
})
const opened: FileStorage[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((files) => files.close()))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

function openS3(overrides = {}): FileStorage {
  const { url: endpoint, bucket } = server
  const files = openFileStorage({ s3: { endpoint, bucket, ...s3Access, ...overrides } })
  opened.push(files)
  return files
}

function openLocal(): FileStorage {
  return openFileStorage({ directory: join(folder, 'not', 'there', 'yet') })
}

let names = 0
function newName(): string {
  names += 1
  return `exp_${names}-1.csv`
}

async function writeFile(files: FileStorage, name: string, chunks: readonly Buffer[]) {
  const writer = await files.create(name)
  for (const chunk of chunks) await writer.write(chunk)
  await writer.finish()
}

async function readFile(files: FileStorage, name: string): Promise<Buffer | null> {
  const found = await files.open(name)
  if (!found) return null
  const content = await buffer(found.stream)
  expect(found.bytes).toBe(content.length)
  return content
}

/** Every byte tells where it stands, so that no two parts can be taken for each other. */
function chunksOf(total: number, size: number): Buffer[] {
  const whole = Buffer.alloc(total)
  for (let at = 0; at + 4 <= total; at += 4) whole.writeUInt32LE(at, at)
  return Array.from({ length: Math.ceil(total / size) }, (_, index) =>
    whole.subarray(index * size, (index + 1) * size),
  )
}

describe.each([
  ['a local directory', openLocal],
  ['an S3 bucket', () => openS3()],
] as const)('%s', (_title, openStorage) => {
  test.each([
    ['nothing', 0, 1],
    ['a few bytes', 10, 3],
    ['one part', 8 * megabyte, 8 * megabyte],
    ['many parts, unevenly', 21 * megabyte + 7, 700_001],
  ])('returns %s as it was written', async (_what, total, size) => {
    const files = openStorage()
    const name = newName()
    const chunks = chunksOf(total, size)

    await writeFile(files, name, chunks)

    expect((await readFile(files, name))?.equals(Buffer.concat(chunks))).toBe(true)
  })

  test('shows nothing of a file before it is finished, and nothing of an aborted file', async () => {
    const files = openStorage()
    const name = newName()
    const writer = await files.create(name)
    await writer.write(Buffer.alloc(9 * megabyte))
    const before = await readFile(files, name)

    await writer.abort()

    expect([before, await readFile(files, name)]).toEqual([null, null])
    expect([...server.uploads.values()]).toEqual([])
  })

  test('replaces a file atomically', async () => {
    const files = openStorage()
    const name = newName()
    await writeFile(files, name, [Buffer.from('old')])
    const writer = await files.create(name)
    await writer.write(Buffer.from('new'))
    const meanwhile = await readFile(files, name)
    await writer.finish()

    expect(meanwhile?.toString()).toBe('old')
    expect((await readFile(files, name))?.toString()).toBe('new')
  })

  test('keeps the first of several files that are written once, and leaves nothing of the others', async () => {
    const files = openStorage()
    const name = newName()
    const writers = [await files.createOnce(name), await files.createOnce(name)]
    for (const [index, writer] of writers.entries()) await writer.write(Buffer.from(`${index}`))

    const results = []
    for (const writer of writers) {
      results.push(
        await writer.finish().then(
          () => 'finished',
          ({ name: kind }: Error) => kind,
        ),
      )
    }

    expect(results).toEqual(['finished', 'FileExists'])
    expect((await readFile(files, name))?.toString()).toBe('0')
    expect([await files.has(name), await files.has(newName())]).toEqual([true, false])
    expect([...server.uploads.values()]).toEqual([])
  })

  test('removes a file and the remains of a writer that died, and no other file', async () => {
    const files = openStorage()
    const [name, other] = ['exp_r-1.csv', 'exp_r-11.csv']
    await writeFile(files, name, [Buffer.from('x')])
    await writeFile(files, other, [Buffer.from('y')])
    const died = await files.create(name)
    await died.write(Buffer.alloc(9 * megabyte))

    await files.remove(name)
    await files.remove(name)
    await files.remove(newName())

    expect(await readFile(files, name)).toBeNull()
    expect((await readFile(files, other))?.toString()).toBe('y')
    await expect(died.write(Buffer.alloc(9 * megabyte)).then(() => died.finish())).rejects.toThrow()
    expect(await readFile(files, name)).toBeNull()
    expect([...server.uploads.values()]).toEqual([])
  })
})

describe('a local directory', () => {
  test("and its files are readable by the service's user alone", async () => {
    const directory = join(folder, 'private')
    const files = openFileStorage({ directory })
    await writeFile(files, 'exp_p-1.csv', [Buffer.from('x')])

    const modes = [directory, join(directory, 'exp_p-1.csv')].map(
      (path) => statSync(path).mode & 0o777,
    )
    expect(modes).toEqual([0o700, 0o600])
    expect(readdirSync(directory)).toEqual(['exp_p-1.csv'])
  })
})

describe('an S3 bucket', () => {
  test.each([
    ['POST', 'answers 503'],
    ['PUT', 'answers 503'],
    ['PUT', 'hangs up'],
  ] as const)('is asked again when %s %s', async (method, failure) => {
    const files = openS3()
    const name = newName()
    const chunks = chunksOf(17 * megabyte, megabyte)
    server.failNext(method, failure, failure)

    await writeFile(files, name, chunks)

    expect((await readFile(files, name))?.equals(Buffer.concat(chunks))).toBe(true)
  })

  test('makes the write fail after four tries when it is unavailable', async () => {
    const files = openS3()
    const writer = await files.create(newName())
    server.failNext('PUT', ...Array.from({ length: 9 }, () => 'answers 503' as const))
    const before = server.log.length

    const writing = writer.write(Buffer.alloc(9 * megabyte))

    await expect(writing).rejects.toThrow('The storage answered 503 SlowDown: Of the test.')
    expect(server.log.slice(before).filter((line) => line.startsWith('PUT'))).toHaveLength(4)
    server.failNext('PUT')
    await writer.abort()
  })

  test('is not asked again when it refuses', async () => {
    const files = openS3()
    server.failNext('POST', 'answers 403')
    const before = server.log.length

    await expect(files.create(newName())).rejects.toThrow('403 AccessDenied')

    expect(server.log.length).toBe(before + 1)
  })

  test('counts as failed when it fails after its status 200', async () => {
    const files = openS3()
    const name = newName()
    const writer = await files.create(name)
    await writer.write(Buffer.from('x'))
    server.failNext('POST', 'answers 200 and fails')

    await expect(writer.finish()).rejects.toThrow('InternalError')

    await writer.abort()
    expect(await readFile(files, name)).toBeNull()
    expect([...server.uploads.values()]).toEqual([])
  })

  test.each([
    ['another secret', { secret: 'wrong' }],
    ['another key', { keyId: 'AKIDOTHER' }],
    ['another region', { region: 'us-test-1' }],
  ])('answers 403 for %s', async (_title, overrides) => {
    const files = openS3(overrides)

    await expect(files.create(newName())).rejects.toThrow('403 SignatureDoesNotMatch')
    await expect(files.open('exp_r-11.csv')).rejects.toThrow('403 SignatureDoesNotMatch')
  })

  test('stores the results of a gateway that is configured for it, and nothing else of that gateway', async () => {
    const directory = join(folder, 'unused')
    const gateway = await startTestGateway({
      ...{ EXPORT_DIR: '', DATA_DIR: directory },
      EXPORT_S3_URL: bucketUrlOf(server),
    })
    const { liveKey } = await gateway.createAccount()
    const path = '/v1/account/audit/export'

    const begun = await gateway.live.post(path, { kind: 'requests' }, liveKey)
    const { id } = Object(begun.body)
    const job = await vi.waitUntil(async () => {
      const { body } = await gateway.live.get(`${path}/${id}`, liveKey)
      return Object(body).status === 'completed' ? Object(body) : null
    }, patience)
    const answer = await fetch(job.result_url)

    expect(csvRecords(await answer.text())).toHaveLength(job.row_count)
    expect([...server.objects.keys()]).toContain(`${id}-1.csv`)
    await gateway.database.query('UPDATE usage.audit_export SET kept_until = now()')
    await vi.waitUntil(() => !server.objects.has(`${id}-1.csv`), patience)
    await gateway.close()
  })
})

test('a bucket that refuses the key of a gateway is in its log, and neither key nor secret is', async () => {
  const written: string[] = []
  const into = { write: (text: string) => void written.push(text) }
  const secret = 'another/secret+of@the=test%'
  const url = bucketUrlOf(server, { secret })
  const gateway = await startTestGateway(
    { EXPORT_DIR: '', EXPORT_S3_URL: url },
    { log: createLog({ level: 'trace', format: 'json', into }) },
  )
  const { liveKey } = await gateway.createAccount()

  await gateway.live.post('/v1/account/audit/export', { kind: 'requests' }, liveKey)
  await vi.waitUntil(() => written.join('').includes('SignatureDoesNotMatch'), patience)
  await gateway.close()

  const text = written.join('')
  for (const credential of [s3Access.keyId, secret, encodeURIComponent(secret)]) {
    expect(findForms(text, credential)).toEqual([])
  }
})

/** The examples of AWS ("Authenticating Requests: Using the Authorization Header", Amazon S3 API). */
describe('Signature Version 4', () => {
  const example = {
    keyId: 'AKIAIOSFODNN7EXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  }
  const at = new Date('2013-05-24T00:00:00Z')
  const host = 'https://examplebucket.s3.amazonaws.com'

  test.each([
    [
      'GET Object',
      { method: 'GET', path: '/test.txt', headers: { range: 'bytes=0-9' }, body: '' },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'PUT Object',
      {
        ...{ method: 'PUT', path: '/test%24file.text', body: 'Welcome to Amazon S3.' },
        headers: {
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        },
      },
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      'GET Bucket Lifecycle',
      { method: 'GET', path: '/?lifecycle=', headers: {}, body: '' },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'GET Bucket (List Objects)',
      { method: 'GET', path: '/?max-keys=2&prefix=J', headers: {}, body: '' },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('signs %s as AWS does', async (_title, { path, ...request }, signature) => {
    const { authorization } = await signAws(example, { ...request, url: new URL(host + path) }, at)

    expect(authorization).toContain(
      'Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,',
    )
    expect(authorization?.endsWith(`Signature=${signature}`)).toBe(true)
  })
})
