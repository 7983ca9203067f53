/** `RECORD_EXAMPLES=1 npx vitest run test/keys` keeps what the tests are answered as examples. */
export const isRecording = process.env.RECORD_EXAMPLES === '1'
