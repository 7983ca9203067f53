import { chownSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { vi } from 'vitest'
import { freePort } from '../../../gateway/trial/embedded-postgres/free-port.ts'
import { startAsServiceUser } from '../../../gateway/trial/embedded-postgres/postgres-process.ts'
import { patience } from '../time/patience.ts'
import { binariesIn, debianFolder } from './postgres-binaries.ts'
import { scratchFolder } from './scratch-folder.ts'

export interface DebianPostgres {
  /** The address of a superuser; the server has the role of the service. */
  readonly url: string
  stop(): Promise<void>
}

/** The oldest PostgreSQL that we run on, with an empty database. */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  const folder = mkdtempSync(join(scratchFolder(), 'gateway-15-'))
  const { serviceUser, ...binaries } = await binariesIn(debianFolder)
  if (serviceUser) chownSync(folder, serviceUser.uid, serviceUser.gid)
  const initdb = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
  const made = startAsServiceUser(binaries.initdb, folder, initdb)
  await Promise.race([made.exited, made.failed])
  const port = await freePort()
  const server = startAsServiceUser(binaries.postgres, folder, [
    ...['-D', folder, '-p', String(port), '-c', 'fsync=off'],
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
  ])
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  await vi.waitUntil(() => run(url, 'CREATE ROLE gateway_service').catch(() => false), patience)
  return {
    url,
    async stop() {
      server.process.kill('SIGINT')
      await server.exited
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function run(url: string, sql: string): Promise<true> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await client.query(sql)
    return true
  } finally {
    await client.end()
  }
}
