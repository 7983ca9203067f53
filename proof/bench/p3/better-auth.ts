import type { Pool } from 'pg'
import { z } from 'zod'

/** The little that is used of better-auth, which is imported by name: it may not be installed. */
export interface BetterAuth {
  createKey(): Promise<string>
  verify(key: string): Promise<boolean>
}

type Options = Readonly<Record<string, unknown>>

const auth = z.object({
  api: z.object({
    signUpEmail: callable<{ user: { id: string } }>(),
    createApiKey: callable<{ key: string }>(),
    verifyApiKey: callable<{ valid: boolean }>(),
  }),
})

const modules = {
  'better-auth': z.object({ betterAuth: z.custom<(options: Options) => unknown>(isFunction) }),
  '@better-auth/api-key': z.object({ apiKey: z.custom<(options: Options) => unknown>(isFunction) }),
  'better-auth/db/migration': z.object({
    getMigrations:
      z.custom<(options: Options) => Promise<{ runMigrations(): Promise<void> }>>(isFunction),
  }),
} as const

const manyRequests = 1_000_000_000

/**
 * One user, whose keys have a remaining counter that every verification decrements in PostgreSQL.
 */
export async function openBetterAuth(pool: Pool): Promise<BetterAuth> {
  const { betterAuth } = modules['better-auth'].parse(await load('better-auth'))
  const { apiKey } = modules['@better-auth/api-key'].parse(await load('@better-auth/api-key'))
  const migration = await load('better-auth/db/migration')
  const { getMigrations } = modules['better-auth/db/migration'].parse(migration)
  const options = {
    database: pool,
    secret: 'a secret for benchmarks, long enough to pass',
    baseURL: 'http://127.0.0.1',
    telemetry: { enabled: false },
    emailAndPassword: { enabled: true },
    // The peer's own rate limit would be one more check, so only the counter is compared.
    plugins: [apiKey({ rateLimit: { enabled: false } })],
  }
  await (await getMigrations(options)).runMigrations()
  const { api } = auth.parse(betterAuth(options))
  const signUp = { name: 'Bench', email: 'bench@example.com', password: 'a long password' }
  const { user } = await api.signUpEmail({ body: signUp })
  return {
    async createKey() {
      const body = { userId: user.id, remaining: manyRequests, rateLimitEnabled: false }
      return (await api.createApiKey({ body })).key
    },
    async verify(key) {
      return (await api.verifyApiKey({ body: { key } })).valid
    },
  }
}

/** Why it cannot be used, or null when it can. */
export async function whyNoBetterAuth(): Promise<string | null> {
  try {
    await load('better-auth')
    await load('@better-auth/api-key')
    return null
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return `better-auth is not installed (see proof/bench/README.md): ${reason}`
  }
}

function load(name: string): Promise<unknown> {
  return import(name)
}

function callable<Result>() {
  return z.custom<(input: { readonly body: object }) => Promise<Result>>(isFunction)
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}
