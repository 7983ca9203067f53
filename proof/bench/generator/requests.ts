import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { keyInBody, type loadSchema } from '../support/load.ts'

type Load = z.infer<typeof loadSchema>

/** Answers with the next request at each call, as the bytes of its connection. */
export type NextRequest = () => string

/** The requests of each connection, by its number: each starts at another one of the same rotation. */
export function rotationsOf(load: Load): (connection: number) => NextRequest {
  const all = renderAll(load, createKeys())
  const startOf = (connection: number) => Math.floor((connection * all.length) / load.connections)
  return (connection) => {
    const start = startOf(connection)
    const share = load.isDivided ? all.slice(start, startOf(connection + 1)) : all
    let next = load.isDivided ? 0 : start
    return () => {
      const render = share[next % share.length]
      next += 1
      if (!render) throw new Error('There are fewer requests than connections.')
      return render()
    }
  }
}

/** One for each header set, with the next key each time that it is rendered. */
export function renderAll(load: Load, nextKey: () => string): readonly NextRequest[] {
  const { url, method, path, headerSets, body, bodies, hasFreshKeys } = load
  return headerSets.map((headers, index) => {
    const sent = bodies?.[index] ?? body ?? ''
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const start = `${method} ${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n${lines.join('')}`
    const endOf = (whole: string) => {
      const length = whole === '' ? '' : `content-length: ${Buffer.byteLength(whole)}\r\n`
      return `${length}\r\n${whole}`
    }
    const end = endOf(sent)
    if (!hasFreshKeys) return () => start + end
    if (sent.includes(keyInBody)) return () => start + endOf(sent.replace(keyInBody, nextKey()))
    return () => `${start}idempotency-key: ${nextKey()}\r\n${end}`
  })
}

/** Makes keys that are as long as the UUIDs that clients send, and never the same twice. */
function createKeys(): () => string {
  const run = randomUUID().slice(0, -12)
  let made = 0
  return () => {
    made += 1
    return run + String(made).padStart(12, '0')
  }
}
