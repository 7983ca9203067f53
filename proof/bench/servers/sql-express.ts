import express from 'express'
import pg from 'pg'
import { z } from 'zod'
import { sessionOfAllTenants } from '../../../subgraphs/shared/database/tenant.ts'
import type { Served } from '../support/child.ts'
import { listen } from '../support/http-server.ts'

const optionsSchema = z.object({ url: z.string() })

/** The number of connections, which the account subgraph has too. */
const poolSize = 8

/** P1's floor: what one would write by hand for this one endpoint, without key, limit or log. */
export async function serve(options: unknown): Promise<Served> {
  const { url } = optionsSchema.parse(options)
  // The request names the account. The session may see all rows, which is set once, not for each
  // query.
  const pool = new pg.Pool({ connectionString: url, max: poolSize, options: sessionOfAllTenants })
  const app = express()
  app.get('/v1/account/credits', async (req, res) => {
    const { rows } = await pool.query({
      name: 'credits',
      text: `SELECT balance, held, balance - held AS available, now() AS as_of
        FROM account.balance WHERE account_id = $1 AND environment = 'live'`,
      values: [req.get('x-account')],
    })
    res.json(rows[0])
  })
  return listen(app, () => pool.end())
}
