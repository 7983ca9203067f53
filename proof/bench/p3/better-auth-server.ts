import express from 'express'
import pg from 'pg'
import { z } from 'zod'
import type { Served } from '../support/child.ts'
import { listen } from '../support/http-server.ts'
import { openBetterAuth } from './better-auth.ts'

const optionsSchema = z.object({ ownerUrl: z.string(), keys: z.int() })

const poolSize = 20

/** P3's peer: Express that verifies a key and counts it down, and then answers by itself. */
export async function serve(given: unknown): Promise<Served> {
  const { ownerUrl, keys: count } = optionsSchema.parse(given)
  await createSchema(ownerUrl)
  const options = '-c search_path=better_auth'
  const pool = new pg.Pool({ connectionString: ownerUrl, options, max: poolSize })
  const betterAuth = await openBetterAuth(pool)
  const keys: string[] = []
  for (let made = 0; made < count; made += 1) keys.push(await betterAuth.createKey())
  const app = express()
  app.post('/v1/contacts/reveal', async (req, res) => {
    const isValid = await betterAuth.verify(req.get('x-api-key') ?? '')
    if (isValid) res.json({ contact_id: 'con_5f1e0c7a9b3d2e48' })
    else res.status(401).json({ error: 'This API key is not valid.' })
  })
  const { ready, stop } = await listen(app, () => pool.end())
  return { ready: { ...z.object({ url: z.string() }).parse(ready), keys }, stop }
}

async function createSchema(ownerUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  try {
    await client.query('CREATE SCHEMA IF NOT EXISTS better_auth')
  } finally {
    await client.end()
  }
}
