import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below what systems give to connections and to listeners on port 0: nobody gets it by chance meanwhile. */
const range = { from: 20_000, to: 32_000 }
const maxAttempts = 100

/** A port of the loopback interface that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const port = randomInt(range.from, range.to)
    if (await isFree(port)) return port
  }
  throw new Error(`None of ${maxAttempts} ports from ${range.from} to ${range.to} is free.`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
