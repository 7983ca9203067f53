import { createServer } from 'node:net'

/** Ports below those that systems choose themselves, so that no other process gets one meanwhile. */
const range = { from: 20_000, to: 32_000 }
const maxAttempts = 100

/** The factor sets processes with neighbouring ids, which may ask at the same time, far apart. */
let next = range.from + ((process.pid * 7417) % (range.to - range.from))

/**
 * Returns a port of the loopback interface without a listener at this moment. It goes through
 * the ports in order: who asks twice before it listens gets two ports.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const port = next
    next = port + 1 < range.to ? port + 1 : range.from
    if (await isFree(port)) return port
  }
  throw new Error(`None of ${maxAttempts} ports from ${range.from} to ${range.to} is free.`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    const address = { port, host: '127.0.0.1', exclusive: true }
    probe.listen(address, () => probe.close(() => resolve(true)))
  })
}
