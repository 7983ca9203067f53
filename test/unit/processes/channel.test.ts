import { expect, test } from 'vitest'
import { type Channel, createChannel } from '../../../gateway/processes/group/channel.ts'
import { childCalls, primaryCalls } from '../../../gateway/processes/group/messages.ts'
import { createWindows } from '../../../gateway/processes/group/window-shares.ts'

/** A worker and its primary, connected by what crosses a process boundary: JSON. */
function connected() {
  const sent: object[] = []
  const failures: unknown[] = []
  const windows = createWindows(() => 5000)
  const unused = () => {
    throw new Error('not part of this test')
  }
  const names = Object.keys(primaryCalls).map((name) => [name, unused])
  const primary: Channel<typeof childCalls> = createChannel({
    ours: primaryCalls,
    theirs: childCalls,
    send: (message) => void worker.receive(JSON.parse(JSON.stringify(message))),
    onFailure: (error) => void failures.push(error),
    handlers: {
      ...Object.fromEntries(names),
      takeWindows: (asks: Parameters<typeof windows.take>[0][]) => asks.map(windows.take),
    },
  })
  const worker: Channel<typeof primaryCalls> = createChannel({
    ours: childCalls,
    theirs: primaryCalls,
    send(message) {
      sent.push(message)
      primary.receive(JSON.parse(JSON.stringify(message)))
    },
    onFailure: unused,
    handlers: Object.fromEntries(Object.keys(childCalls).map((name) => [name, unused])) as never,
  })
  return { worker, primary, sent, failures }
}

const ask = { key: 'account', limit: 10, want: 2 }

test('the messages of one turn go together, and each gets its answer', async () => {
  const { worker, sent } = connected()

  const answers = await Promise.all([
    worker.ask('takeWindows', [ask]),
    worker.ask('takeWindows', [ask, { ...ask, key: 'other' }]),
  ])

  expect(answers).toEqual([
    [{ from: 1, count: 2, clockMs: 5000 }],
    [
      { from: 3, count: 2, clockMs: 5000 },
      { from: 1, count: 2, clockMs: 5000 },
    ],
  ])
  expect(sent).toHaveLength(1)
})

test('a message that is not as agreed is refused, and its sender learns that it failed', async () => {
  const { worker, primary, failures } = connected()

  await expect(worker.ask('takeWindows', [{ ...ask, want: -1 }])).rejects.toThrow('takeWindows')

  expect(failures).toHaveLength(1)
  expect(primary.receive({ cmd: 'another library' })).toBe(false)
  expect(primary.receive('text')).toBe(false)
})

test('a caller that waits for a process learns when it ends', async () => {
  const { worker } = connected()

  const answer = worker.ask('takeWindows', [ask])
  worker.close()

  await expect(answer).rejects.toThrow('The other process has ended.')
  await expect(worker.ask('takeWindows', [ask])).rejects.toThrow('The other process has ended.')
})
