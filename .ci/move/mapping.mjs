/**
 * Old path → new path. A key that ends with `/` is a folder: everything in it moves, also files that do not exist
 * yet; the longest key that fits wins. Keys that do not exist are skipped.
 */
export const moves = {
  // ── the contract: what both sides read ──
  'rest-facade/catalog/': 'schema/catalog/',
  'rest-facade/simulator/scenario.ts': 'schema/catalog/scenario.ts',
  'rest-facade/simulator/sample.ts': 'schema/catalog/sample.ts',
  'rest-facade/http/unicode/unreadable.ts': 'schema/vocabulary/unreadable.ts',
  'schema/examples.json': 'schema/generated/examples.json',
  'schema/billing/': 'schema/vocabulary/billing/',
  'schema/account.graphql': 'schema/generated/account.graphql',
  'schema/api.graphql': 'schema/generated/api.graphql',
  'schema/keys.graphql': 'schema/generated/keys.graphql',
  'schema/oauth.graphql': 'schema/generated/oauth.graphql',
  'schema/usage.graphql': 'schema/generated/usage.graphql',
  'schema/supergraph.graphql': 'schema/generated/supergraph.graphql',
  'schema/operations.json': 'schema/generated/operations.json',
  'schema/openapi.json': 'schema/generated/openapi.json',
  'schema/postman.json': 'schema/generated/postman.json',

  // ── tools ──
  'schema/tools/': 'tools/',
  '.ci/check-imports.mjs': 'tools/imports/check-imports.mjs',
  '.ci/dependency-cruiser.mjs': 'tools/imports/dependency-cruiser.mjs',
  '.ci/check-lockfile.mjs': 'tools/check-lockfile.mjs',
  '.ci/oxlint.json': 'tools/oxlint.json',

  // ── the facade: what serves a request ──
  'rest-facade/account-work/': 'rest-facade/steps/account-work/',
  'rest-facade/middleware/': 'rest-facade/steps/',
  'rest-facade/dispatch/': 'rest-facade/steps/dispatch/',
  'rest-facade/step-up/': 'rest-facade/steps/step-up/',
  'rest-facade/route-kinds/': 'rest-facade/routes/kinds/',
  // It was apart because a folder had at most 16 files.
  'rest-facade/route-kinds/portal/': 'rest-facade/routes/kinds/',
  'rest-facade/metering/': 'rest-facade/charge/',
  'rest-facade/quotes/': 'rest-facade/charge/quotes/',
  'rest-facade/usage-log/': 'rest-facade/charge/usage-log/',
  'rest-facade/work/': 'rest-facade/charge/batching/',
  'rest-facade/console/': 'rest-facade/pages/console/',
  'rest-facade/html/': 'rest-facade/pages/html/',
  'rest-facade/mails/': 'rest-facade/pages/mails/',
  'rest-facade/payment-pages/': 'rest-facade/pages/payments/',
  'rest-facade/sign-in/': 'rest-facade/pages/sign-in/',
  'rest-facade/docs/serve-docs.ts': 'rest-facade/pages/docs/serve-docs.ts',
  'rest-facade/docs/entry-point.ts': 'rest-facade/pages/docs/entry-point.ts',
  'rest-facade/docs/openapi.ts': 'rest-facade/pages/docs/openapi.ts',
  'rest-facade/docs/site-file.ts': 'rest-facade/pages/docs/site-file.ts',
  'rest-facade/docs/page-routes.ts': 'rest-facade/pages/docs/page-routes.ts',
  'rest-facade/work/when-needed.ts': 'rest-facade/pages/when-needed.ts',
  'rest-facade/listeners/health.ts': 'rest-facade/routes/health.ts',
  'rest-facade/listeners/probes.ts': 'rest-facade/backends/probes.ts',
  'rest-facade/overload/request-in-hand.ts': 'rest-facade/http/request-in-hand.ts',
  'rest-facade/observability/failure-log.ts': 'rest-facade/steps/failure-log.ts',

  // ── the documentation ──
  'rest-facade/docs/': 'site/',

  // ── the program ──
  'rest-facade/commands/': 'gateway/commands/',
  'rest-facade/config/': 'gateway/config/',
  'rest-facade/launch/': 'gateway/launch/',
  'rest-facade/warm-up/': 'gateway/launch/warm-up/',
  'rest-facade/launch/all-in-one.ts': 'gateway/processes/all-in-one.ts',
  'rest-facade/launch/roles.ts': 'gateway/processes/roles.ts',
  'rest-facade/launch/roles/': 'gateway/processes/roles/',
  'rest-facade/launch/cluster/': 'gateway/processes/workers/',
  'rest-facade/cluster/': 'gateway/processes/group/',
  'rest-facade/distributed/': 'gateway/processes/distributed/',
  'rest-facade/redis/': 'gateway/processes/redis/',
  'rest-facade/rate-limit/redis-rate-limiter.ts': 'gateway/processes/redis/redis-rate-limiter.ts',
  'rest-facade/listeners/': 'gateway/listeners/',
  'rest-facade/overload/': 'gateway/overload/',
  'rest-facade/internal/': 'gateway/internal/',
  'rest-facade/graph/free-form/': 'gateway/internal/free-form/',
  'rest-facade/backends/backend-keys.ts': 'gateway/internal/backend-keys.ts',
  'rest-facade/console/console-files.ts': 'gateway/launch/parts/console-files.ts',
  'rest-facade/graph/subgraph-client.ts': 'gateway/internal/subgraph-client.ts',
  'rest-facade/observability/': 'gateway/observability/',
  'rest-facade/upkeep/': 'gateway/jobs/',
  'rest-facade/work/periodic.ts': 'gateway/jobs/periodic.ts',
  'rest-facade/upkeep/verify-audit-chains.ts': 'gateway/books/verify-audit-chains.ts',
  'rest-facade/digests/': 'gateway/books/digests/',
  'rest-facade/usage-log/compare-with-ledger.ts': 'gateway/books/compare-with-ledger.ts',
  'rest-facade/mails/mailbox.ts': 'gateway/trial/mailbox/mailbox.ts',
  'rest-facade/mails/mailbox-page.ts': 'gateway/trial/mailbox/mailbox-page.ts',
  'rest-facade/demo/': 'gateway/trial/demo/',
  'rest-facade/simulator/': 'gateway/trial/simulator/',
  'rest-facade/embedded-postgres/': 'gateway/trial/embedded-postgres/',
}
/** The new path of a file (or of a folder, without `/` at its end). */
export function movedBy(moves) {
  const keys = Object.keys(moves).sort((a, b) => b.length - a.length)
  return (path) => {
    for (const key of keys) {
      if (key.endsWith('/')) {
        if (path.startsWith(key)) return moves[key] + path.slice(key.length)
        if (`${path}/` === key) return moves[key].slice(0, -1)
      } else if (path === key) return moves[key]
    }
    return path
  }
}
export const moved = movedBy(moves)
