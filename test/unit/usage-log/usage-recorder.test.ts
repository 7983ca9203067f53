import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createUsageRecorder } from '../../../rest-facade/charge/usage-log/usage-recorder.ts'

const hangs = () => new Promise<never>(() => {})

test('a reader of the usage log does not wait for an entry whose statement hangs', async () => {
  const log = pino({ level: 'silent' })
  const recorder = createUsageRecorder(hangs, log, { databaseTimeoutMs: 100 })
  void recorder.recover(Object({ accountId: 'acct_1', credits: 0 }))

  await recorder.recordedIfPossible()

  expect(recorder.waiting()).toBe(1)
})
