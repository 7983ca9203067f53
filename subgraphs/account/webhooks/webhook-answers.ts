/** For so long the text of a receiver's answer is kept. */
export const keptAnswerDays = 7
