import { setImmediate } from 'node:timers/promises'

/** What node calls a listening server, and a program that runs. */
const kinds = ['TCPServerWrap', 'ProcessWrap'] as const
/** How many of each the process has. */
type Open = Readonly<Record<(typeof kinds)[number], number>>

function countOpen(): Open {
  const names = process.getActiveResourcesInfo()
  const [TCPServerWrap = 0, ProcessWrap = 0] = kinds.map(
    (kind) => names.filter((name) => name === kind).length,
  )
  return { TCPServerWrap, ProcessWrap }
}

/** What was told to close closes in the next turns of the event loop. */
export async function untilClosed(): Promise<void> {
  await setImmediate()
  await setImmediate()
}

let keptServers = 0

/** Has the servers that `start` opens stay open when the test file ends: other files of the worker use them too. */
export async function keepServers<Result>(start: () => Promise<Result>): Promise<Result> {
  await untilClosed()
  const before = countOpen().TCPServerWrap
  const result = await start()
  keptServers += countOpen().TCPServerWrap - before
  return result
}

/** Looks now; returns what was opened since then and is still open, without what is kept. */
export function watchLeftOpen(): () => { readonly servers: number; readonly programs: number } {
  const before = countOpen()
  const keptBefore = keptServers
  return () => {
    const { TCPServerWrap, ProcessWrap } = countOpen()
    return {
      servers: TCPServerWrap - before.TCPServerWrap - (keptServers - keptBefore),
      programs: ProcessWrap - before.ProcessWrap,
    }
  }
}
