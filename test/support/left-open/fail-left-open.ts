import { afterAll, beforeAll } from 'vitest'
import { untilClosed, watchLeftOpen } from './left-open.ts'

let leftOpen = watchLeftOpen()

// The hooks of this file come first at the beginning of a test file, and last at its end.
beforeAll(() => {
  leftOpen = watchLeftOpen()
})

/** Fails a test file that leaves a server, such as a gateway or a stub, or a program behind. */
afterAll(async () => {
  await untilClosed()
  const { servers, programs } = leftOpen()
  if (servers > 0 || programs > 0)
    throw new Error(`The file leaves ${servers} servers and ${programs} programs open.`)
})
