import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A certificate that nobody trusts, for a name or an address, in PEM. */
export async function selfSigned(name: string): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'))
  const keyFile = join(folder, 'key.pem')
  const certFile = join(folder, 'cert.pem')
  const request = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name}`
  const extension = ['-addext', `subjectAltName=${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`]
  try {
    await promisify(execFile)('openssl', [
      ...request.split(' '),
      ...extension,
      ...['-keyout', keyFile, '-out', certFile],
    ])
    return { key: await readFile(keyFile, 'utf8'), cert: await readFile(certFile, 'utf8') }
  } finally {
    await rm(folder, { recursive: true })
  }
}
