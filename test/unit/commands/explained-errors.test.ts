import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { isExplained } from '../../../gateway/commands/explained-errors.ts'
import { parsePriceList } from '../../../subgraphs/account/prices/price-list.ts'
import { onOwnConnection } from '../../../subgraphs/shared/database/own-connection.ts'

/** The error of a command that asks a database with this behaviour. */
async function errorOf(behaviour: (socket: Socket) => void): Promise<unknown> {
  const server = createServer(behaviour).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = `postgres://user@127.0.0.1:${port}/gateway`
  return onOwnConnection(url, { connectionTimeoutMillis: 300 }, async () => null).catch(
    (error: unknown) => error,
  )
}

test.each<[string, (socket: Socket) => void]>([
  ['ends the connection', (socket) => socket.end()],
  ['resets the connection', (socket) => socket.once('data', () => socket.resetAndDestroy())],
  ['answers nothing', () => {}],
])('a command explains a database that %s, without a stack', async (_, behaviour) => {
  const error = await errorOf(behaviour)

  expect(error).toBeInstanceOf(Error)
  expect(isExplained(error), String(error)).toBe(true)
})

test('a command explains a mistake in the price list, without a stack', () => {
  try {
    parsePriceList('currency: JPY')
    expect.fail('The price list was taken.')
  } catch (error) {
    expect(isExplained(error), String(error)).toBe(true)
  }
})

test('a command shows the stack of an error that nobody expects', () => {
  expect(isExplained(new Error('A locked row is missing.'))).toBe(false)
})
