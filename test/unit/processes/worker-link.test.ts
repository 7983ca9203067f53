import { pino } from 'pino'
import { expect, test } from 'vitest'
import {
  type CredentialNote,
  createCredentialMemory,
} from '../../../gateway/overload/known-credentials.ts'
import { linkToPrimary } from '../../../gateway/processes/group/worker-link.ts'

/** A worker that has just been started, and what its primary sends it. */
function startWorker() {
  let receive: (message: unknown, socket: unknown) => void = () => {}
  const { processGroup } = linkToPrimary({
    ...{ part: 'worker', workers: 2, log: pino({ level: 'silent' }) },
    port: {
      send: () => {},
      on(_event, listener) {
        receive = listener
      },
    },
  })
  return {
    processGroup,
    tell: (call: string, value: unknown) => receive({ gateway: [{ call, value }] }, undefined),
  }
}

test('a worker has the credentials that its primary told before it could listen for them', () => {
  const { processGroup, tell } = startWorker()
  const memory = createCredentialMemory()
  const take = (notes: readonly CredentialNote[]) => {
    for (const note of notes) memory.note(note)
  }

  tell('credentials', [
    { name: 'a', agoMs: 1000 },
    { name: 'b', agoMs: 0 },
  ])
  tell('credentials', [{ name: 'b', agoMs: null }])
  processGroup.credentials?.watch(take)
  tell('credentials', [{ name: 'c', agoMs: 0 }])

  expect(memory.all().map(({ name }) => name)).toEqual(['a', 'c'])
})
