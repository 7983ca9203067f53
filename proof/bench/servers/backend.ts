import type { Served } from '../support/child.ts'
import { listen } from '../support/http-server.ts'

const body = JSON.stringify({
  contact_id: 'con_5f1e0c7a9b3d2e48',
  full_name: 'Amara Okafor',
  job_title: 'Head of Marketing',
  company_name: 'Acme Robotics',
  emails: ['a.okafor@acme.example'],
  phones: ['+49 30 5550 0101'],
  verified_at: '2026-10-01T09:30:00Z',
})
const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }

/** The least that a backend module can be: bare node:http, always the same small answer. */
export async function serve(): Promise<Served> {
  return listen((req, res) => {
    req.resume()
    req.once('end', () => res.writeHead(200, headers).end(body))
  })
}
