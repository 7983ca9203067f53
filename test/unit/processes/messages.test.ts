import { expect, test } from 'vitest'
import { childCalls, primaryCalls } from '../../../gateway/processes/group/messages.ts'

test('the calls between processes keep their names, because after an upgrade a new worker may have an old primary', () => {
  expect(Object.keys(primaryCalls)).toEqual(
    expect.arrayContaining([
      ...['takeWindows', 'countMinute', 'openDoor', 'leaveDoor', 'connectionsClosed', 'ready'],
      ...['problem', 'breaker', 'findBackends', 'forget', 'collectMetrics', 'collectMails'],
      ...['lastMetrics', 'storeOpened', 'databasesReady', 'banner', 'failed'],
    ]),
  )
  expect(Object.keys(childCalls)).toEqual(
    expect.arrayContaining([
      ...['begin', 'go', 'end', 'problem', 'breaker', 'probe', 'forget', 'measure', 'showMails'],
    ]),
  )
})
