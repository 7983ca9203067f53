import { createServer, type RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type Child, type Served, startChild } from './child.ts'

const graceMs = 250
const urlReady = z.object({ url: z.string() })

/** A floor, peer or backend in a process of its own. */
export function startServerChild(
  role: string,
  options: object = {},
): Promise<Child<z.infer<typeof urlReady>>> {
  return startChild({ role, ready: urlReady, options })
}

/** Listens on a free port of the loopback interface. */
export async function listen(
  handler: RequestListener,
  close: () => Promise<void> = async () => {},
): Promise<Served> {
  const server = createServer(handler)
  server.keepAliveTimeout = 75_000
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  if (typeof address !== 'object' || !address) throw new Error('The server has no port.')
  return {
    ready: { url: `http://127.0.0.1:${address.port}` },
    async stop() {
      server.close()
      server.closeAllConnections()
      // Work of the last requests may still use the resources that are closed next.
      await sleep(graceMs)
      await close()
    },
  }
}
