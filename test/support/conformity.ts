import { type CheckAnswer, createAnswerCheck, describeAnswer } from './answers-conform.ts'
import { readApiDocument } from './api-document.ts'
import { noteNonconforming } from './nonconforming.ts'
import { watchAnswers } from './watch-answers.ts'

let check: CheckAnswer | null = null

/** From now on the test fails that gets an answer from this origin which the document does not describe. */
export function requireConformity(origin: string): void {
  watchAnswers(origin, ({ answer }) => {
    check ??= createAnswerCheck(readApiDocument())
    const problems = check(answer)
    if (problems.length > 0) noteNonconforming(describeAnswer(answer, problems))
  })
}
