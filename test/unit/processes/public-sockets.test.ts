import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import type { HandedConnection } from '../../../gateway/processes/group/messages.ts'
import {
  openPublicSocket,
  type PublicSocket,
  type Taker,
} from '../../../gateway/processes/group/public-sockets.ts'
import { patience } from '../../support/time/patience.ts'

const clients: Socket[] = []
const opened: PublicSocket[] = []
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy()
  for (const socket of opened.splice(0)) socket.close()
})

/** A socket whose clients may have two connections in all. */
async function openLimited(): Promise<{ socket: PublicSocket; open: () => number }> {
  let open = 0
  let last = 0
  const socket = await openPublicSocket({
    ...{ listener: 'live', host: '127.0.0.1', port: 0 },
    connectionLimit: {
      guard: () => {},
      close: () => {},
      enter() {
        if (open >= 2) return null
        open += 1
        return () => {
          open -= 1
        }
      },
    },
    nextConnection() {
      last += 1
      return last
    },
  })
  opened.push(socket)
  return { socket, open: () => open }
}

function createTaker(id: number, isReady = true) {
  const handed: HandedConnection[] = []
  const taker: Taker = {
    id,
    isReady: () => isReady,
    hand(message, socket, done) {
      handed.push(message)
      clients.push(socket)
      done(null)
    },
  }
  return { taker, handed }
}

async function dial({ port }: PublicSocket): Promise<Socket> {
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {})
  clients.push(client)
  await once(client, 'connect')
  return client
}

test('connections go to the workers in turn, and to those that are starting only if none is ready', async () => {
  const { socket } = await openLimited()
  const [one, two, starting] = [createTaker(1), createTaker(2), createTaker(3, false)]
  for (const { taker } of [starting, one, two]) socket.add(taker)

  await dial(socket)
  await dial(socket)
  await vi.waitUntil(() => one.handed.length + two.handed.length === 2, patience)

  expect([one.handed.length, two.handed.length, starting.handed.length]).toEqual([1, 1, 0])
  expect(
    [...one.handed, ...two.handed].map(({ connection }) => connection).toSorted((a, b) => a - b),
  ).toEqual([1, 2])
  socket.leave(1)
  socket.leave(2)
  socket.ended([1, 2])
  await dial(socket)
  await vi.waitUntil(() => starting.handed.length === 1, patience)
})

test('a connection waits for a worker, and the port stays open without one', async () => {
  const { socket } = await openLimited()
  await dial(socket)
  const { taker, handed } = createTaker(1)

  socket.add(taker)

  await vi.waitUntil(() => handed.length === 1, patience)
})

test('connections of all workers count together, until they end or their worker does', async () => {
  const { socket, open } = await openLimited()
  const [one, two] = [createTaker(1), createTaker(2)]
  socket.add(one.taker)
  socket.add(two.taker)
  await dial(socket)
  await dial(socket)
  await vi.waitUntil(() => one.handed.length + two.handed.length === 2, patience)

  const excess = await dial(socket)
  await once(excess, 'close')
  expect(open()).toBe(2)
  socket.ended(one.handed.map(({ connection }) => connection))
  expect(open()).toBe(1)
  socket.drop(2)

  expect(open()).toBe(0)
})

test('a connection that was not sent to its worker yet is closed when that worker ends', async () => {
  const { socket, open } = await openLimited()
  const handed: HandedConnection[] = []
  // The worker keeps this connection and tells nobody, as Node does while an earlier connection is on
  // its way.
  socket.add({ id: 1, isReady: () => true, hand: (message) => void handed.push(message) })
  const client = await dial(socket)
  await vi.waitUntil(() => handed.length === 1, patience)

  const closed = once(client, 'close')
  socket.drop(1)

  await closed
  expect(open()).toBe(0)
})
