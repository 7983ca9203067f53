import express from 'express'
import type { Served } from '../support/child.ts'
import { listen } from '../support/http-server.ts'

/** P8's floor: Express as it comes, with a small JSON body. */
export async function serve(): Promise<Served> {
  const app = express()
  app.get('/v1/account/credits', (_req, res) => {
    res.json({ balance: 10_000, held: 0, available: 10_000, as_of: '2026-01-01T00:00:00.000Z' })
  })
  return listen(app)
}
