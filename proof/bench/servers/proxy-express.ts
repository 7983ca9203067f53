import express from 'express'
import { Pool } from 'undici'
import { z } from 'zod'
import type { Served } from '../support/child.ts'
import { listen } from '../support/http-server.ts'

const optionsSchema = z.object({ backendUrl: z.string() })

/** P2's floor: a plain reverse proxy, without key, limit, charge or log. */
export async function serve(options: unknown): Promise<Served> {
  const { backendUrl } = optionsSchema.parse(options)
  const pool = new Pool(backendUrl, { connections: 128 })
  const app = express()
  app.post('/v1/contacts/reveal', async (req, res) => {
    const { statusCode, headers, body } = await pool.request({
      method: 'POST',
      path: '/reveal',
      headers: { 'content-type': 'application/json' },
      body: req,
    })
    res.status(statusCode).set('Content-Type', String(headers['content-type']))
    body.pipe(res)
  })
  return listen(app, () => pool.close())
}
