import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP } from 'node:net'
import { onTestFinished } from 'vitest'

const types = new Map<number, 'A' | 'AAAA'>([
  [1, 'A'],
  [28, 'AAAA'],
])

/** For one question: addresses of its type, another name that it is an alias of, a failure, or silence. */
export type NameAnswer =
  | { readonly addresses: readonly string[]; readonly alias?: string }
  | 'no such name'
  | 'server failure'
  | 'silence'

export type Names = (name: string, type: 'A' | 'AAAA') => NameAnswer

/** A name server on 127.0.0.1 (RFC 1035), and a resolver that asks no other. */
export async function startNameServer(names: Names): Promise<Resolver> {
  const server = createSocket('udp4')
  server.on('message', (question, from) => {
    const reply = replyTo(question, names)
    if (reply) server.send(reply, from.port, from.address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  return resolver
}

function replyTo(message: Buffer, names: Names): Buffer | null {
  const { name, end } = readName(message, 12)
  const type = types.get(message.readUInt16BE(end))
  if (type === undefined) return null
  const answer = names(name, type)
  if (answer === 'silence') return null
  const question = message.subarray(12, end + 4)
  if (answer === 'server failure') return Buffer.concat([header(message, 2, 0), question])
  if (answer === 'no such name') return Buffer.concat([header(message, 3, 0), question])
  const { addresses, alias } = answer
  const owner = writeName(alias ?? name)
  const records = addresses.map((address) =>
    record(owner, isIP(address) === 4 ? 1 : 28, pack(address)),
  )
  if (alias !== undefined) records.unshift(record(writeName(name), 5, owner))
  return Buffer.concat([header(message, 0, records.length), question, ...records])
}

function header(question: Buffer, code: number, answers: number): Buffer {
  const bytes = Buffer.alloc(12)
  question.copy(bytes, 0, 0, 2)
  // An answer, recursion wanted and there.
  bytes.writeUInt16BE(0x8180 | code, 2)
  bytes.writeUInt16BE(1, 4)
  bytes.writeUInt16BE(answers, 6)
  return bytes
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const bytes = Buffer.alloc(10)
  bytes.writeUInt16BE(type, 0)
  bytes.writeUInt16BE(1, 2)
  bytes.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, bytes, data])
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let at = start
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label, 'latin1'))
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.of(label.length), label]),
    Buffer.of(0),
  ])
}

/** IPv6 addresses are written out here: eight groups. */
function pack(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const groups = address.split(':').map((group) => group.padStart(4, '0'))
  return Buffer.from(groups.join(''), 'hex')
}
