import { afterAll, afterEach } from 'vitest'
import { takeNonconforming } from './nonconforming.ts'
import { isRecording } from './recording.ts'
import { leaveAllAnswers } from './watch-answers.ts'

const shown = 5

/** Fails the test in which a gateway's answer differs from the document. */
function failNonconforming(): void {
  const all = takeNonconforming()
  if (all.length === 0) return
  const more = all.length > shown ? [`… and ${all.length - shown} more`] : []
  const list = [...all.slice(0, shown), ...more].join('\n\n')
  throw new Error(`Answers are not what schema/generated/openapi.json says:\n${list}`)
}

afterEach(failNonconforming)
// Answers to requests of the file's hooks.
afterAll(() => {
  leaveAllAnswers()
  failNonconforming()
})

if (isRecording) {
  afterAll(async () => {
    const { writeExamples } = await import('./record-examples.ts')
    writeExamples()
  })
}
