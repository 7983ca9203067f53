import { runChild } from './support/child.ts'

const roles = {
  load: () => import('./servers/load-worker.ts'),
  gateway: () => import('./servers/gateway.ts'),
  backend: () => import('./servers/backend.ts'),
  'bare-express': () => import('./servers/bare-express.ts'),
  'proxy-express': () => import('./servers/proxy-express.ts'),
  charges: () => import('./servers/charges.ts'),
  'usage-log': () => import('./servers/usage-log.ts'),
  'usage-recorder': () => import('./servers/usage-recorder.ts'),
  exports: () => import('./servers/exports.ts'),
  operations: () => import('./servers/operations.ts'),
  'better-auth': () => import('./p3/better-auth-server.ts'),
  'oidc-provider': () => import('./servers/oidc-provider.ts'),
  'sql-express': () => import('./servers/sql-express.ts'),
} as const

/** Runs the task of a forked process: one of the servers, the load generator, or work to be measured. */
export async function runRole([name = '', options = '{}']: readonly string[]): Promise<void> {
  const load = Object.entries(roles).find(([role]) => role === name)?.[1]
  if (!load) throw new Error(`Nothing is named ${name}.`)
  const { serve } = await load()
  const parsed: unknown = JSON.parse(options)
  await runChild(serve, parsed)
}
