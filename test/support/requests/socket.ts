import { connect } from 'node:net'

/** Sends bytes (in Latin-1) as they are. `all` is what comes until the connection is closed. */
export function openSocket(port: number, bytes: string) {
  const socket = connect(port, '127.0.0.1')
  // A reset is no failure: what was sent may cross the end of the connection.
  socket.on('error', () => {})
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  socket.write(bytes, 'latin1')
  const all = new Promise<string>((resolve) => socket.once('close', () => resolve(text)))
  return { socket, all }
}

/** The statuses of all answers in what came. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
}
