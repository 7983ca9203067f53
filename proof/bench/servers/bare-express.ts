import express from 'express'
import { z } from 'zod'
import type { Served } from '../support/child.ts'
import { listen } from '../support/http-server.ts'

const credits = { balance: 10_000, held: 0, available: 10_000, as_of: '2026-01-01T00:00:00.000Z' }

const optionsSchema = z.object({
  status: z.int().default(200),
  body: z.unknown().default(credits),
})

/** The floor of refusals: Express as it comes, with a small JSON body. */
export async function serve(options: unknown): Promise<Served> {
  const { status, body } = optionsSchema.parse(options)
  const app = express()
  app.get('/v1/account/credits', (_req, res) => {
    res.status(status).json(body)
  })
  return listen(app)
}
