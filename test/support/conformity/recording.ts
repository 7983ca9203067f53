/**
 * `RECORD_EXAMPLES=1 npx vitest run test/api/keys` records the answers of the tests as examples.
 */
export const isRecording = process.env.RECORD_EXAMPLES === '1'
