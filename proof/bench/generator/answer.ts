const headEndMark = '\r\n\r\n'
const lastChunk = Buffer.from('0\r\n\r\n')

/**
 * The status of the HTTP answer that these bytes are, or null while they are not all of it. A chunked
 * body has no text that looks like its last chunk, which JSON in one line never has.
 */
export function statusOf(bytes: Buffer): number | null {
  const headEnd = bytes.indexOf(headEndMark)
  if (headEnd < 0) return null
  const head = bytes.toString('latin1', 0, headEnd)
  if (!isWhole(bytes, head, headEnd + headEndMark.length)) return null
  return Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
}

function isWhole(bytes: Buffer, head: string, bodyStart: number): boolean {
  const length = /^content-length: *(\d+)/im.exec(head)?.[1]
  if (length !== undefined) return bytes.length >= bodyStart + Number(length)
  if (!/^transfer-encoding: *chunked/im.test(head)) return true
  return bytes.length > bodyStart && bytes.subarray(-lastChunk.length).equals(lastChunk)
}
