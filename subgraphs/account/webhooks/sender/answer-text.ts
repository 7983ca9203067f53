import { unplain } from '../../../../schema/vocabulary/display-name.ts'

/** So much of an answer's body is kept. */
export const maxAnswerBytes = 1024

/**
 * The first KiB of a body as text: UTF-8, whose last character is left out if it is cut. A run of control characters,
 * such as the end of a line, is one space, so that no receiver writes into the terminal of who reads it.
 */
export function answerText(body: Buffer): string {
  const text = new TextDecoder().decode(body.subarray(0, maxAnswerBytes), { stream: true })
  return text.replaceAll(unplain, ' ')
}
