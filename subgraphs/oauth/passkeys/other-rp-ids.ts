import { onOwnConnection } from '../../shared/database/own-connection.ts'
import { serviceRole } from '../../shared/database/sessions.ts'

/** The ids, other than this one, that stored passkeys were made for. Throws when the database does not answer. */
export function otherRpIds(url: string, rpId: string, timeoutMs: number): Promise<string[]> {
  return onOwnConnection(url, { query_timeout: timeoutMs }, async (client) => {
    // A login has the rights of the service only as the service.
    await client.query(`SET ROLE ${serviceRole}`)
    const { rows } = await client.query<{ id: string }>(
      'SELECT id FROM oauth.passkey_rp_ids() AS id WHERE id <> $1 ORDER BY id LIMIT 10',
      [rpId],
    )
    return rows.map(({ id }) => id)
  })
}
